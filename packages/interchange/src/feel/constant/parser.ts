import { quote } from '@engine/expression'
import type { Comparison } from '../ast.ts'
import { FeelReader } from '../reader.ts'
import type { FeelArgument, FeelExpression, FeelIterator, FeelType } from './ast.ts'

/** Names of several words or with operators, by their first word. */
export class KnownNames {
  readonly #byFirstWord = new Map<string, Map<string, RegExp>>()

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name)
  }

  add(name: string): void {
    const [word] = /^[\p{L}\p{N}_]+/u.exec(name) ?? []
    if (word === undefined || word === name) return
    const names = this.#byFirstWord.get(word) ?? new Map<string, RegExp>()
    const written = name.split(/\s+/).map((part) => part.replaceAll(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`))
    names.set(name, new RegExp(`${written.join(String.raw`\s+`)}(?![\\p{L}\\p{N}_])`, 'uy'))
    this.#byFirstWord.set(word, names)
  }

  /**
   * The longest known name at an offset, with any white space between its words; undefined if only the word itself
   * matches.
   */
  longest(text: string, offset: number, word: string): KnownName | undefined {
    let found: KnownName | undefined
    for (const [name, pattern] of this.#byFirstWord.get(word) ?? []) {
      pattern.lastIndex = offset
      const written = pattern.exec(text)?.[0]
      if (written !== undefined && name.length > (found?.name.length ?? 0)) found = { name, written }
    }
    return found
  }
}

interface KnownName {
  readonly name: string
  /** As written. */
  readonly written: string
}

/**
 * Parses an expression. Throws `FeelFault`. Linear in the length of the text, times the names with the same first word.
 */
export function parseConstant(text: string, known: KnownNames): FeelExpression {
  const parser = new Parser(new FeelReader(text), known)
  const found = parser.expression()
  parser.end()
  return found
}

/** Parses a type, such as `list<number>`. Throws `FeelFault`. */
export function parseType(text: string): FeelType {
  const parser = new Parser(new FeelReader(text), new KnownNames())
  const found = parser.type()
  parser.end()
  return found
}

const COMPARISONS: readonly Comparison[] = ['<=', '>=', '!=', '<', '>', '=']
const TYPES = ['days and time duration', 'years and months duration', 'date and time', 'time', 'date']

class Parser {
  readonly #reader: FeelReader
  readonly #known: KnownNames

  constructor(reader: FeelReader, known: KnownNames) {
    this.#reader = reader
    this.#known = known
  }

  end(): void {
    if (!this.#reader.isAtEnd) this.#reader.fail(`unexpected ${quote(this.#reader.peek(20))}`)
  }

  expression(): FeelExpression {
    return this.#reader.nested(() => this.#textual())
  }

  #textual(): FeelExpression {
    const reader = this.#reader
    if (reader.takeWord('if')) {
      const condition = this.expression()
      this.#word('then')
      const consequent = this.expression()
      this.#word('else')
      return { kind: 'if', condition, consequent, alternate: this.expression() }
    }
    if (reader.takeWord('for')) {
      const iterators = this.#iterators()
      this.#word('return')
      return { kind: 'for', iterators, body: this.expression() }
    }
    for (const quantifier of ['some', 'every'] as const)
      if (reader.takeWord(quantifier)) {
        const iterators = this.#iterators()
        this.#word('satisfies')
        return { kind: 'quantified', quantifier, iterators, test: this.expression() }
      }
    return this.#or()
  }

  #word(word: string): void {
    if (!this.#reader.takeWord(word)) this.#reader.fail(`expected ${quote(word)}`)
  }

  #iterators(): readonly FeelIterator[] {
    const found: FeelIterator[] = []
    do {
      const name = this.#newName(['in'])
      this.#word('in')
      const from = this.expression()
      const to = this.#reader.take('..') ? this.expression() : undefined
      found.push({ name, from, to })
    } while (this.#reader.take(','))
    return found
  }

  /** A name that is declared here; it ends at a given word or symbol. */
  #newName(ends: readonly string[]): string {
    const reader = this.#reader
    const words: string[] = []
    for (let word = reader.peekWord(); word !== undefined && !ends.includes(word); word = reader.peekWord()) {
      words.push(word)
      reader.take(word)
    }
    if (words.length === 0) reader.fail('expected a name')
    const name = words.join(' ')
    this.#known.add(name)
    return name
  }

  #or(): FeelExpression {
    let left = this.#and()
    while (this.#reader.takeWord('or')) left = { kind: 'logic', operator: 'or', left, right: this.#and() }
    return left
  }

  #and(): FeelExpression {
    let left = this.#comparison()
    while (this.#reader.takeWord('and')) left = { kind: 'logic', operator: 'and', left, right: this.#comparison() }
    return left
  }

  #comparison(): FeelExpression {
    const reader = this.#reader
    let left = this.#additive()
    for (;;) {
      const operator = COMPARISONS.find((sign) => reader.take(sign))
      if (operator !== undefined) left = { kind: 'comparison', operator, left, right: this.#additive() }
      else if (reader.takeWord('between')) {
        const low = this.#additive()
        this.#word('and')
        left = { kind: 'between', value: left, low, high: this.#additive() }
      } else if (reader.takeWord('instance of')) left = { kind: 'instance', value: left, type: this.type() }
      else if (reader.takeWord('in')) left = { kind: 'in', value: left, tests: this.#tests() }
      else return left
    }
  }

  #tests(): readonly FeelExpression[] {
    const reader = this.#reader
    const operator = COMPARISONS.find((sign) => reader.take(sign))
    if (operator !== undefined) return [{ kind: 'half-range', operator, value: this.#additive() }]
    const test = this.#additive()
    return test.kind === 'list' && this.#wasGroup.has(test) ? test.items : [test]
  }

  /** Lists that were written in parentheses: the tests of `in`. */
  readonly #wasGroup = new WeakSet<FeelExpression>()

  type(): FeelType {
    return this.#reader.nested(() => this.#type())
  }

  #type(): FeelType {
    const reader = this.#reader
    if (reader.takeWord('list')) return { kind: 'list', items: this.#typeArgument() ?? { kind: 'named', name: 'Any' } }
    if (reader.takeWord('range')) return { kind: 'range', of: this.#typeArgument() ?? { kind: 'named', name: 'Any' } }
    if (reader.takeWord('context')) {
      const members: (readonly [string, FeelType])[] = []
      if (reader.take('<'))
        do {
          const name = this.#newName([])
          reader.expect(':')
          members.push([name, this.type()])
        } while (reader.take(',') || !this.#closes())
      return { kind: 'context', members }
    }
    if (reader.takeWord('function')) {
      const parameters: FeelType[] = []
      if (reader.take('<') && !reader.take('>'))
        do parameters.push(this.type())
        while (reader.take(',') || !this.#closes())
      const result: FeelType = reader.take('->') ? this.type() : { kind: 'named', name: 'Any' }
      return { kind: 'function', parameters, result }
    }
    const base = TYPES.find((name) => reader.takeWord(name))
    if (base !== undefined) return { kind: 'named', name: base }
    const word = reader.peekWord() ?? reader.fail('expected a type')
    let path = this.#takeName(word)
    while (reader.peek() === '.' && reader.take('.')) path += `.${this.#newName([])}`
    return { kind: 'named', name: path }
  }

  #closes(): true {
    this.#reader.expect('>')
    return true
  }

  #typeArgument(): FeelType | undefined {
    if (!this.#reader.take('<')) return undefined
    const type = this.type()
    this.#reader.expect('>')
    return type
  }

  #additive(): FeelExpression {
    let left = this.#multiplicative()
    for (;;) {
      const operator = (['+', '-'] as const).find((sign) => this.#reader.take(sign))
      if (operator === undefined) return left
      left = { kind: 'arithmetic', operator, left, right: this.#multiplicative() }
    }
  }

  #multiplicative(): FeelExpression {
    let left = this.#power()
    for (;;) {
      const operator = (['*', '/'] as const).find((sign) => this.#reader.take(sign))
      if (operator === undefined) return left
      left = { kind: 'arithmetic', operator, left, right: this.#power() }
    }
  }

  #power(): FeelExpression {
    let left = this.#negation()
    while (this.#reader.take('**')) left = { kind: 'arithmetic', operator: '**', left, right: this.#negation() }
    return left
  }

  #negation(): FeelExpression {
    if (!this.#reader.take('-')) return this.#postfix()
    return { kind: 'negation', operand: this.#reader.nested(() => this.#negation()) }
  }

  #postfix(): FeelExpression {
    const reader = this.#reader
    let found = this.#primary()
    for (let links = 0; ; links++) {
      if (links > 200) reader.fail('a path is too long')
      if (reader.peek(2) !== '..' && reader.take('.')) {
        const word = reader.peekWord() ?? reader.fail('expected a name')
        found = { kind: 'member', object: found, name: this.#takeName(word) }
      } else if (reader.take('[')) {
        const test = this.expression()
        reader.expect(']')
        found = { kind: 'filter', list: found, test }
      } else if (reader.take('(')) found = { kind: 'call', target: found, args: this.#arguments() }
      else return found
    }
  }

  /** After `(`. */
  #arguments(): readonly FeelArgument[] {
    const reader = this.#reader
    const found: FeelArgument[] = []
    if (reader.take(')')) return found
    do {
      const value = this.expression()
      if (value.kind === 'name' && reader.take(':')) found.push({ name: value.name, value: this.expression() })
      else found.push({ name: undefined, value })
    } while (reader.take(','))
    reader.expect(')')
    return found
  }

  #primary(): FeelExpression {
    const reader = this.#reader
    const number = reader.number()
    if (number !== undefined) return { kind: 'number', text: number }
    const text = reader.string()
    if (text !== undefined) return { kind: 'string', value: text }
    if (reader.take('@')) return { kind: 'at', text: reader.string() ?? reader.fail('expected a text') }
    if (reader.take('{')) return this.#context()
    if (reader.take('[')) return this.#bracketed('[')
    if (reader.take(']')) return this.#bracketed(']')
    if (reader.take('(')) return this.#group()
    const word = reader.peekWord() ?? reader.fail('expected a value')
    if (word === 'function') return this.#function()
    const name = this.#takeName(word)
    if (name === 'true' || name === 'false') return { kind: 'boolean', value: name === 'true' }
    if (name === 'null') return { kind: 'null' }
    return { kind: 'name', name }
  }

  /** Consumes the longest known name that begins with a word. */
  #takeName(word: string): string {
    const reader = this.#reader
    const known = this.#known.longest(reader.text, reader.offset, word)
    reader.take(known?.written ?? word)
    return known?.name ?? word
  }

  #function(): FeelExpression {
    const reader = this.#reader
    reader.take('function')
    reader.expect('(')
    const parameters: { name: string; type: FeelType | undefined }[] = []
    if (!reader.take(')')) {
      do {
        const name = this.#newName([])
        parameters.push({ name, type: reader.take(':') ? this.type() : undefined })
      } while (reader.take(','))
      reader.expect(')')
    }
    if (reader.takeWord('external')) reader.fail('external functions are not supported')
    return { kind: 'function', parameters, body: this.expression() }
  }

  #context(): FeelExpression {
    const reader = this.#reader
    const entries: (readonly [string, FeelExpression])[] = []
    if (reader.take('}')) return { kind: 'context', entries }
    do {
      const key = reader.string() ?? this.#key()
      this.#known.add(key)
      reader.expect(':')
      entries.push([key, this.expression()])
    } while (reader.take(','))
    reader.expect('}')
    return { kind: 'context', entries }
  }

  /** An unquoted key, which may contain blanks and operators. */
  #key(): string {
    const reader = this.#reader
    const end = reader.text.indexOf(':', reader.offset)
    const key = end < 0 ? '' : reader.text.slice(reader.offset, end).trim()
    if (!/^[\p{L}_?][\p{L}\p{N}_ .\-+*/']*$/u.test(key)) reader.fail('expected a key')
    reader.take(key)
    return key
  }

  /** After a bracket: a list, or a range. */
  #bracketed(open: '[' | ']'): FeelExpression {
    const reader = this.#reader
    if (open === '[' && reader.take(']')) return { kind: 'list', items: [] }
    const first = this.expression()
    if (reader.take('..')) return this.#range(first, open === '[')
    if (open === ']') reader.fail('expected `..`')
    const items = [first]
    while (reader.take(',')) items.push(this.expression())
    reader.expect(']')
    return { kind: 'list', items }
  }

  #range(low: FeelExpression, isLowIncluded: boolean): FeelExpression {
    const reader = this.#reader
    const high = this.expression()
    if (reader.take(']')) return { kind: 'range', low, high, isLowIncluded, isHighIncluded: true }
    reader.expect(')')
    return { kind: 'range', low, high, isLowIncluded, isHighIncluded: false }
  }

  /** After `(`: an expression, a range, or the tests of `in`. */
  #group(): FeelExpression {
    const reader = this.#reader
    const first = this.#member()
    if (reader.take('..')) return this.#range(first, false)
    if (reader.take(')')) return first
    const items = [first]
    while (reader.take(',')) items.push(this.#member())
    reader.expect(')')
    const group: FeelExpression = { kind: 'list', items }
    this.#wasGroup.add(group)
    return group
  }

  #member(): FeelExpression {
    const operator = COMPARISONS.find((sign) => this.#reader.take(sign))
    return operator === undefined ? this.expression() : { kind: 'half-range', operator, value: this.#additive() }
  }
}
