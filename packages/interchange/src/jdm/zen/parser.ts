import { defined, quote } from '@engine/expression'
import { type IntervalEdge, OPERATOR_LEVELS, UNARY_LEVELS, type Zen, type ZenOperator, ZenSyntaxError } from './ast.ts'
import { type ZenToken, zenTokens } from './lexer.ts'

/** Maximum nesting: the limit of our own expressions, so that everything parsed can be written. */
const MAX_NESTING = 200

/** Maximum length of one text. */
const MAX_TEXT = 64 * 1024

/** Maximum depth of a tree, which is translated by recursion: a chain of operators adds one level per operator. */
const MAX_DEPTH = 1000

/** An expression. Linear in the length of the text. Throws `ZenSyntaxError`. */
export function parseZen(text: string): Zen {
  return limited(new Parser(text).whole())
}

/**
 * The test of a table cell: comma-separated alternatives. An alternative may start with a comparison operator, whose
 * left side is the value of the column, here named `$`. `hasField`: the column has a value; the tests of other columns
 * are ordinary conditions.
 */
export function parseZenTest(text: string, hasField = true): readonly Zen[] {
  return new Parser(text, hasField).test().map(limited)
}

/** The left side that a comparison in a cell leaves out. */
export const REFERENCE: Zen = { kind: 'name', name: '$' }
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'not'])

class Parser {
  readonly #tokens: readonly ZenToken[]
  #at = 0
  #depth = 0
  /** Nesting depth: within brackets a comparison has both sides. */
  #open = 0
  #isTest = false
  readonly #bindsAlike: boolean

  constructor(text: string, bindsAlike = false) {
    this.#bindsAlike = bindsAlike
    if (text.length > MAX_TEXT) throw new ZenSyntaxError(`an expression may have at most ${MAX_TEXT} characters`, 0)
    this.#tokens = zenTokens(text)
  }

  whole(): Zen {
    const found = this.#statement()
    this.#end()
    return found
  }

  /** (name "=" expression ";" statement) | expression */
  #statement(): Zen {
    const { kind, text } = this.#token
    if (kind !== 'name' || !/^[A-Za-z_]/.test(text) || !this.#is('=', 1)) return this.#expression()
    this.#at += 2
    const value = this.#expression()
    this.#expect(';')
    return { kind: 'assignment', name: text, value, body: this.#deeper(() => this.#statement()) }
  }

  test(): readonly Zen[] {
    this.#isTest = true
    const found = [this.#expression()]
    while (this.#take(',')) found.push(this.#expression())
    this.#end()
    return found
  }

  #end(): void {
    if (this.#token.kind !== 'end') throw this.#unexpected('an operator')
  }

  get #token(): ZenToken {
    // INVARIANT: the last token is `end` and is never consumed.
    return defined(this.#tokens[this.#at])
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token !== undefined && (token.kind === 'symbol' || token.kind === 'name') && token.text === text
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false
    this.#at++
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(quote(text))
  }

  #unexpected(expected: string): ZenSyntaxError {
    const { kind, text, offset } = this.#token
    const found = kind === 'end' ? 'the end of the text' : quote(text)
    return new ZenSyntaxError(`expected ${expected}, found ${found}`, offset)
  }

  /** binary ("?" expression ":" expression)? */
  #expression(): Zen {
    if (++this.#depth > MAX_NESTING)
      throw new ZenSyntaxError(`must be nested at most ${MAX_NESTING} levels deep`, this.#token.offset)
    this.#open++
    const condition = this.#binary(0)
    const found = this.#take('?') ? this.#choice(condition) : condition
    this.#open--
    this.#depth--
    return found
  }

  #choice(condition: Zen): Zen {
    const consequent = this.#expression()
    this.#expect(':')
    return { kind: 'conditional', condition, consequent, alternate: this.#expression() }
  }

  /** Operators of at least a level, by precedence climbing. */
  #binary(level: number): Zen {
    let left = this.#unary()
    for (;;) {
      const operator = this.#operator()
      if (operator === undefined || this.#levelOf(operator) < level) return left
      this.#at += operator === 'not in' ? 2 : 1
      const right = this.#deeper(() => this.#binary(this.#levelOf(operator) + (operator === '^' ? 0 : 1)))
      left = { kind: 'binary', operator, left, right }
    }
  }

  #deeper(read: () => Zen): Zen {
    if (++this.#depth > MAX_NESTING)
      throw new ZenSyntaxError(`must be nested at most ${MAX_NESTING} levels deep`, this.#token.offset)
    const found = read()
    this.#depth--
    return found
  }

  /** In the test of a value, `and` binds as loosely as `or`: `a or b and c` is `(a or b) and c` in ZEN. */
  #levelOf(operator: ZenOperator): number {
    return this.#bindsAlike && operator === 'and' ? OPERATOR_LEVELS.or : OPERATOR_LEVELS[operator]
  }

  #operator(): ZenOperator | undefined {
    if (this.#is('not') && this.#is('in', 1)) return 'not in'
    const { kind, text } = this.#token
    if ((kind !== 'symbol' && kind !== 'name') || !Object.hasOwn(OPERATOR_LEVELS, text)) return undefined
    return text as ZenOperator
  }

  #unary(): Zen {
    if (this.#isTest && this.#open === 1 && this.#isComparison()) return REFERENCE
    for (const operator of ['not', '-', '+'] as const)
      if (this.#take(operator) || (operator === 'not' && this.#take('!')))
        return { kind: 'unary', operator, operand: this.#deeper(() => this.#binary(UNARY_LEVELS[operator])) }
    return this.#postfix(this.#primary())
  }

  /** Whether a comparison starts without its left side; `not` only as `not in`. */
  #isComparison(): boolean {
    const { kind, text } = this.#token
    if ((kind !== 'symbol' && kind !== 'name') || !COMPARISONS.has(text)) return false
    return text !== 'not' || this.#is('in', 1)
  }

  #postfix(object: Zen): Zen {
    let found = object
    for (let links = 0; ; links++) {
      if (links > MAX_NESTING) throw new ZenSyntaxError('a path is too long', this.#token.offset)
      if (this.#is('.') && this.#tokens[this.#at + 1]?.kind === 'name') {
        const key = this.#tokens[this.#at + 1]?.text ?? ''
        this.#at += 2
        found = this.#take('(')
          ? { kind: 'method', object: found, name: key, args: this.#arguments() }
          : { kind: 'member', object: found, key: { kind: 'literal', value: key } }
      } else if (this.#take('[')) found = this.#index(found)
      else return found
    }
  }

  /** `[expression]`, `[from:to]`; the bracket is already consumed. */
  #index(object: Zen): Zen {
    const from = this.#is(':') ? undefined : this.#expression()
    if (from !== undefined && this.#take(']')) return { kind: 'member', object, key: from }
    this.#expect(':')
    const to = this.#is(']') ? undefined : this.#expression()
    this.#expect(']')
    return { kind: 'slice', object, from, to }
  }

  #primary(): Zen {
    const token = this.#token
    switch (token.kind) {
      case 'number':
        this.#at++
        return { kind: 'literal', value: numberOf(token) }
      case 'text':
        this.#at++
        return { kind: 'literal', value: token.text }
      case 'template':
        this.#at++
        return template(token)
      case 'name':
        this.#at++
        return this.#named(token.text)
      case 'symbol':
        return this.#bracketed()
      case 'end':
        throw this.#unexpected('an expression')
    }
  }

  #named(name: string): Zen {
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true' }
    if (name === 'null') return { kind: 'literal', value: null }
    if (!this.#take('(')) return { kind: 'name', name }
    return { kind: 'call', name, args: this.#arguments() }
  }

  /** The bracket is already consumed. */
  #arguments(): readonly Zen[] {
    const args: Zen[] = []
    while (!this.#take(')')) {
      if (args.length > 0) this.#expect(',')
      const value = this.#expression()
      if (args.length > 0 || !this.#take('as')) args.push(value)
      else {
        const { kind, text } = this.#token
        if (kind !== 'name' || !/^[A-Za-z_]/.test(text)) throw this.#unexpected('a name')
        this.#at++
        args.push({ kind: 'alias', value, name: text })
      }
    }
    return args
  }

  #bracketed(): Zen {
    if (this.#take('{')) return this.#object()
    const edge = this.#token.text
    if (edge !== '[' && edge !== '(' && edge !== ']') throw this.#unexpected('an expression')
    this.#at++
    if (edge === '[' && this.#take(']')) return { kind: 'array', items: [] }
    const first = this.#expression()
    if (this.#take('..')) return this.#interval(edge, first)
    if (edge === ']') throw this.#unexpected('`..`')
    if (edge === '(') {
      this.#expect(')')
      return first
    }
    const items = [first]
    while (!this.#take(']')) {
      this.#expect(',')
      items.push(this.#expression())
    }
    return { kind: 'array', items }
  }

  #interval(open: IntervalEdge, from: Zen): Zen {
    const to = this.#expression()
    const close = this.#token.text
    if (close !== ']' && close !== ')' && close !== '[' && close !== '(') throw this.#unexpected('`]` or `)`')
    this.#at++
    return { kind: 'interval', from, to, open, close }
  }

  #object(): Zen {
    const entries: { key: string; value: Zen }[] = []
    while (!this.#take('}')) {
      if (entries.length > 0) this.#expect(',')
      const { kind, text } = this.#token
      if (kind !== 'name' && kind !== 'text') throw this.#unexpected('a constant key')
      this.#at++
      this.#expect(':')
      entries.push({ key: text, value: this.#expression() })
    }
    return { kind: 'object', entries }
  }
}

/** The same expression. Linear in its size. Throws `ZenSyntaxError` when it is too deep. */
function limited(zen: Zen): Zen {
  const open: { readonly part: object; readonly depth: number }[] = [{ part: zen, depth: 0 }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const depth = at.depth + ('kind' in at.part ? 1 : 0)
    if (depth > MAX_DEPTH) throw new ZenSyntaxError(`an expression may have at most ${MAX_DEPTH} operators in a row`, 0)
    for (const part of Object.values(at.part)) if (typeof part === 'object' && part !== null) open.push({ part, depth })
  }
  return zen
}

function numberOf({ text, offset }: ZenToken): number {
  const value = Number(text.replaceAll('_', ''))
  // Beyond this ZEN decimals fail or round differently.
  if (!Number.isFinite(value) || Math.abs(value) > 1e15) throw new ZenSyntaxError('the number is too large', offset)
  return value
}

/** `text ${expression} text` */
function template({ text, offset }: ZenToken): Zen {
  const parts: (string | Zen)[] = []
  let at = 0
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', at)) {
    const close = text.indexOf('}', open)
    if (close < 0) throw new ZenSyntaxError('the text ends within `${`', offset + 1 + open)
    if (open > at) parts.push(text.slice(at, open))
    parts.push(parseZen(text.slice(open + 2, close)))
    at = close + 1
  }
  if (at < text.length) parts.push(text.slice(at))
  return { kind: 'template', parts }
}
