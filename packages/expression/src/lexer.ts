import { FOREIGN_FORMS } from './suggest/foreign-forms.ts'
import { BINARY_SPELLINGS, FOREIGN_OPERATORS, UNARY_SPELLINGS } from './operator-table.ts'
import { problems, replacing } from './problems.ts'
import type { Fix, Problem, Span } from './source.ts'
import { KEYWORDS, SYNTAX_LIMITS, type Token, type TokenKind } from './token.ts'
import { fractionDigits, isDecimal, numberOfText, type NumberValue, PRECISION } from './decimal/decimal.ts'
import type { NumberReading } from './runtime.ts'
import { normalizeInteger } from './value.ts'

/**
 * The tokens of an expression's text, ending with `end`, and the lexical problems. Editors use them for highlighting.
 */
export interface Tokenized {
  readonly tokens: readonly Token[]
  readonly problems: readonly Problem[]
}

/** Tokenize a text; an error becomes an `invalid` token with a problem (the first 1,000), and tokenizing continues. */
export function tokenize(text: string, numbers: NumberReading = 'double'): Tokenized {
  if (text.length > SYNTAX_LIMITS.text) {
    const at = { start: SYNTAX_LIMITS.text, end: text.length }
    return { tokens: [END(text.length)], problems: [problems.textTooLong(at, SYNTAX_LIMITS.text)] }
  }
  const lexer = new Lexer(text, numbers)
  lexer.run()
  return lexer
}

const END = (at: number): Token => ({ kind: 'end', text: '', value: undefined, start: at, end: at })

const SPACE = /[ \t\r\n]+/y
const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy
const VARIABLE = /\$[\p{ID_Start}_]\p{ID_Continue}*/uy
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const DIGITS = /\d+/y
/** Characters that make a number invalid: `1.`, `1abc`, `0x1F`, `1_000`, `1.2.3`. */
const NUMBER_TAIL = /[\p{ID_Continue}.]+/uy
const COMMENT = /\/\/|\/\*|#/y

const PUNCTUATION: ReadonlySet<string> = new Set(['(', ')', '[', ']', '{', '}', ',', '.', ':', '?', '=>'])

const isSymbol = (spelling: string): boolean => !/[\p{ID_Start} ]/u.test(spelling)

/** Symbols of other languages, tokenized like ours, and their replacements. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map<string, string>([
  ...[...FOREIGN_OPERATORS].filter(([spelling]) => isSymbol(spelling)),
  ['?.', '.'],
])

/** Advice for symbols of other languages. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ...REPLACEMENTS,
  ...[...FOREIGN_FORMS].filter(([spelling]) => isSymbol(spelling)),
])

/** `RegExp.escape` for symbols, which Node.js has since version 24. */
const patternOf = (symbol: string) => symbol.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Our symbols and those of other languages, longest first, so `===` is not split. */
const SYMBOL = new RegExp(
  [...BINARY_SPELLINGS.keys(), ...UNARY_SPELLINGS.keys(), ...PUNCTUATION, ...INSTEAD.keys()]
    .filter(isSymbol)
    .sort((one, other) => other.length - one.length)
    .map(patternOf)
    .join('|'),
  'uy',
)

/** Characters that look like ours. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ['“', '"'],
  ['”', '"'],
  ['„', '"'],
  ['«', '"'],
  ['»', '"'],
  ['‘', "'"],
  ['’', "'"],
  ['`', '"'],
  ['\u00a0', ' '],
  ['\u2003', ' '],
  ['\u3000', ' '],
  ['，', ','],
  ['（', '('],
  ['）', ')'],
])

/**
 * The end of a text in look-alike quotes, and its content when it can be quoted unchanged. No pattern scans beyond the
 * next opening quote of its kind, so together they read each character a few times.
 */
const CLOSING: ReadonlyMap<string, RegExp> = new Map([
  ['“', /([^"\\\r\n“”]*)”/y],
  ['„', /([^"\\\r\n„“”]*)[“”]/y],
  ['«', /([^"\\\r\n«»]*)»/y],
  ['‘', /([^"\\\r\n‘’]*)’/y],
  ['`', /([^"\\\r\n`]*)`/y],
])

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['/', '/'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
])

const HEX4 = /^[0-9a-fA-F]{4}$/

class Lexer implements Tokenized {
  readonly tokens: Token[] = []
  readonly problems: Problem[] = []
  readonly #text: string
  readonly #numbers: NumberReading
  #at = 0

  constructor(text: string, numbers: NumberReading) {
    this.#text = text
    this.#numbers = numbers
  }

  run(): void {
    while (this.#match(SPACE) !== '' || this.#at < this.#text.length) {
      if (this.#at < this.#text.length) this.#token()
    }
    this.tokens.push(END(this.#text.length))
  }

  #token(): void {
    const start = this.#at
    const character = this.#text.charAt(start)
    if (character === '"' || character === "'") return this.#string(character)
    if (character === '$') return this.#dollar()
    if (character >= '0' && character <= '9') return this.#number()
    const name = this.#match(NAME)
    if (name !== '') return this.#push(this.#afterDot() || !KEYWORDS.has(name) ? 'name' : 'keyword', start)
    if (this.#match(COMMENT) !== '') return this.#comment(start)
    const symbol = this.#match(SYMBOL)
    const instead = INSTEAD.get(symbol)
    if (instead !== undefined)
      return this.#invalid(start, problems.wrongOperator, symbol, instead, this.#apart(start, REPLACEMENTS.get(symbol)))
    if (symbol !== '') return this.#operator(symbol, start)
    const odd = String.fromCodePoint(this.#text.codePointAt(start) ?? 0)
    this.#at += odd.length
    this.#invalid(start, problems.unexpectedCharacter, odd, LOOKALIKES.get(odd), this.#asOurs(odd, start))
  }

  #operator(operator: string, start: number): void {
    const follows = this.#text[this.#at] ?? ''
    if (operator === '.' && follows >= '0' && follows <= '9' && !this.#afterOperand()) {
      this.#match(NUMBER_TAIL)
      const written = this.#text.slice(start, this.#at)
      return this.#invalid(start, problems.malformedNumber, written, `0${written}`)
    }
    if (operator === '*' && this.#afterDot()) return this.#push('wildcard', start)
    this.#push(PUNCTUATION.has(operator) ? 'punctuation' : 'operator', start)
  }

  /** `a.0`: after the dot of a path, digits are an index and never the start of a fraction. */
  #number(): void {
    const start = this.#at
    const written = this.#match(this.#afterDot() ? DIGITS : NUMBER)
    const tail = this.#afterDot() ? '' : this.#match(NUMBER_TAIL)
    if (tail !== '') return this.#invalid(start, problems.malformedNumber, written + tail, completed(written, tail))
    if (/^0\d/.test(written))
      return this.#invalid(start, problems.malformedNumber, written, written.replace(/^0+(?=\d)/, ''))
    if (this.#numbers === 'decimal') return this.#decimal(written, start)
    const value = this.#integerOrDouble(written)
    if (typeof value === 'object') return this.#push('number', start, value)
    if (typeof value === 'bigint' ? written.length > 308 && !Number.isFinite(Number(written)) : !Number.isFinite(value))
      return this.#invalid(start, problems.numberOutOfRange, written)
    this.#push('number', start, value)
  }

  #integerOrDouble(written: string): NumberValue {
    if (/^\d+$/.test(written)) return normalizeInteger(BigInt(written))
    const decimal = this.#numbers === 'exact' ? numberOfText(written) : undefined
    return decimal !== undefined && isDecimal(decimal) ? decimal : Number(written)
  }

  #decimal(written: string, start: number): void {
    const value = numberOfText(written)
    if (value === undefined) return this.#invalid(start, problems.numberOutOfRange, written)
    if (fractionDigits(written) > PRECISION)
      return this.#invalid(start, problems.tooManyDigits, written, PRECISION, String(value))
    this.#push('number', start, value)
  }

  #dollar(): void {
    const start = this.#at
    const variable = this.#match(VARIABLE)
    if (variable !== '') {
      this.tokens.push({ kind: 'variable', text: variable.slice(1), value: undefined, start, end: this.#at })
      return
    }
    this.#at++
    this.#push('root', start)
  }

  #string(quote: string): void {
    const start = this.#at++
    let value = ''
    let broken = false
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) return this.#unterminated(start, quote)
      if (character === quote) break
      if (character === '\n' || character === '\r') {
        if (!this.#text.includes(quote, this.#at)) return this.#unterminated(start, quote)
        const at = { start: this.#at, end: this.#at + 1 }
        this.#note(() => problems.lineBreakInString(at, character === '\n' ? '\\n' : '\\r'))
        broken = true
      }
      if (character !== '\\') {
        value += character
        this.#at++
        continue
      }
      const escaped = this.#escape()
      if (escaped === undefined) broken = true
      else value += escaped
    }
    this.#at++
    this.#push(broken ? 'invalid' : 'string', start, value)
  }

  /** The character that an escape stands for; undefined after a problem. Advances past the escape. */
  #escape(): string | undefined {
    const start = this.#at
    const letter = this.#text[start + 1] ?? ''
    const known = ESCAPES.get(letter)
    if (known !== undefined) {
      this.#at += 2
      return known
    }
    const digits = this.#text.slice(start + 2, start + 6)
    if (letter === 'u' && HEX4.test(digits)) {
      this.#at += 6
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    this.#at += 1 + letter.length
    if (letter !== '') this.#note(() => problems.unknownEscape({ start, end: this.#at }, `\\${letter}`))
    return undefined
  }

  #unterminated(start: number, quote: string): void {
    this.#at = this.#text.length
    this.#note(() => problems.unterminatedString({ start, end: start + 1 }, quote))
    this.#push('invalid', start)
  }

  #comment(start: number): void {
    this.#at = this.#text.startsWith('/*', start)
      ? this.#text.indexOf('*/', start + 2) + 2
      : this.#text.indexOf('\n', start)
    if (this.#at <= start) this.#at = this.#text.length
    this.#note(() => problems.comment({ start, end: this.#at }))
    this.#push('invalid', start)
  }

  #invalid<Extra extends unknown[]>(
    start: number,
    problem: (at: Span, found: string, ...extra: Extra) => Problem,
    found: string,
    ...extra: Extra
  ): void {
    this.#note(() => problem({ start, end: this.#at }, found, ...extra))
    this.#push('invalid', start)
  }

  #note(problem: () => Problem): void {
    if (this.problems.length < SYNTAX_LIMITS.problems) this.problems.push(problem())
  }

  #push(kind: TokenKind, start: number, value?: NumberValue | string): void {
    this.tokens.push({ kind, text: this.#text.slice(start, this.#at), value, start, end: this.#at })
  }

  /** The fix for a look-alike character; for a text in other quotes, of the whole text. */
  #asOurs(odd: string, start: number): Fix | undefined {
    const ours = LOOKALIKES.get(odd)
    if (ours !== '"' && ours !== "'") return replacing({ start, end: this.#at }, ours)
    const closing = CLOSING.get(odd)
    if (closing === undefined) return undefined
    closing.lastIndex = this.#at
    const inner = closing.exec(this.#text)?.[1]
    if (inner === undefined) return undefined
    return { span: { start, end: closing.lastIndex }, text: `"${inner}"` }
  }

  /** A word, padded with blanks where it would otherwise merge with its neighbours. */
  #apart(start: number, replacement: string | undefined): string | undefined {
    if (replacement === undefined || isSymbol(replacement)) return replacement
    const before = /^\S/.test(this.#text[start - 1] ?? '') ? ' ' : ''
    const behind = /^\S/.test(this.#text[this.#at] ?? '') ? ' ' : ''
    return before + replacement + behind
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #afterDot(): boolean {
    return this.tokens.at(-1)?.text === '.'
  }

  /** Whether the preceding token can have a path: then a dot continues it. */
  #afterOperand(): boolean {
    const last = this.tokens.at(-1)
    if (last === undefined) return false
    return OPERAND_ENDS.has(last.kind) || last.text === ')' || last.text === ']' || last.text === '}'
  }
}

const OPERAND_ENDS: ReadonlySet<TokenKind> = new Set(['name', 'variable', 'root', 'wildcard', 'string', 'number'])

/** The number that was probably meant. */
function completed(written: string, tail: string): string | undefined {
  if (tail === '.') return written
  const grouped = (written + tail).replaceAll('_', '')
  return /^\d+(?:\.\d+)?$/.test(grouped) ? grouped : undefined
}
