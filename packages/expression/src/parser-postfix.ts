import type { Expression, Lambda, Segment } from './ast.ts'
import { type Cursor, isMark, spanOf, tokenText } from './cursor.ts'
import { defined } from './defined.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { problems, replacing } from './problems.ts'
import { quote } from './quote.ts'
import type { NumberReading } from './runtime.ts'
import { SYNTAX_LIMITS, type Token } from './token.ts'

/** Determines how names are parsed. */
export interface Language {
  /** By name: which keywords are also functions, and which functions take a path. */
  readonly functions: ReadonlyMap<string, Pick<FunctionDefinition, 'argument'>>
  /** Lambda parameters in scope around the text. */
  readonly locals: readonly string[]
  /** The kind of its numbers. */
  readonly numbers: NumberReading
}

/** Paths, calls, lambdas, literals and parentheses: what binds tighter than any operator. */
export abstract class PostfixParser {
  protected readonly cursor: Cursor
  protected readonly language: Language
  /** Lambda parameters in scope, innermost last. */
  protected readonly locals: string[]
  /** The token that may start a list of `SYNTAX_LIMITS.membershipList` items. */
  #longList: Token | undefined

  constructor(cursor: Cursor, language: Language) {
    this.cursor = cursor
    this.language = language
    this.locals = [...language.locals]
  }

  abstract expression(): Expression

  /** The path that a text consists of, or undefined. */
  protected abstract pathIn(text: string): Expression | undefined

  /** Allow a long list at the current token: the right side of `in`. */
  protected allowLongList(): void {
    this.#longList = this.cursor.token
  }

  protected postfix(): Expression {
    const { start } = this.cursor.token
    const primary = this.#primary()
    const path = this.#path(primary.kind === 'field' || primary.kind === 'variable' ? primary.path.length : 0)
    if (this.cursor.at('(')) this.#refuseCall(primary, path)
    if (path.length === 0) return primary
    const span = { start, end: this.cursor.end }
    return 'path' in primary
      ? { ...primary, path: [...primary.path, ...path], span }
      : { kind: 'member', object: primary, path, span }
  }

  #refuseCall(primary: Expression, path: readonly Segment[]): void {
    const callee = this.cursor.text.slice(primary.span.start, this.cursor.end)
    const last = path.at(-1)
    const receiver = this.cursor.text.slice(
      primary.span.start,
      this.cursor.end - (last?.kind === 'name' ? last.name.length + 1 : 0),
    )
    const suggestion = last?.kind === 'name' ? `${last.name}(${receiver}, …)` : 'name(…)'
    const at = { start: primary.span.start, end: this.cursor.end }
    this.cursor.fail(problems.notCallable(at, callee, suggestion))
  }

  #path(before: number): Segment[] {
    const { cursor } = this
    const path: Segment[] = []
    for (;;) {
      const segment = cursor.accept('.') ? this.#afterDot() : cursor.at('[') ? this.#index() : undefined
      if (segment === undefined) return path
      path.push(segment)
      if (before + path.length > SYNTAX_LIMITS.path)
        cursor.fail(problems.pathTooLong(spanOf(cursor.peek(-1)), SYNTAX_LIMITS.path))
    }
  }

  #afterDot(): Segment {
    const { cursor } = this
    const { token } = cursor
    if (token.kind === 'name') return { kind: 'name', name: cursor.take().text }
    if (token.kind === 'wildcard') {
      cursor.take()
      return { kind: 'wildcard' }
    }
    if (token.kind === 'number') return { kind: 'index', index: this.#wholeNumber(cursor.take(), 1) }
    if (cursor.at('['))
      cursor.fail(
        problems.unexpectedToken(
          spanOf(token),
          tokenText(token),
          'a name',
          '[ without the dot',
          replacing(spanOf(cursor.peek(-1)), ''),
        ),
      )
    return cursor.unexpected('a name, `*` or an index')
  }

  #index(): Segment {
    const { cursor } = this
    cursor.take()
    const { token } = cursor
    if (token.kind === 'string') {
      cursor.take()
      cursor.expect(']')
      return { kind: 'name', name: String(token.value) }
    }
    const sign = cursor.at('-') ? -1 : 1
    if (sign < 0) cursor.take()
    const number = cursor.token
    if (number.kind !== 'number') {
      const isClosed = isMark(cursor.peek(1), ']')
      const at = spanOf(number)
      const found = tokenText(number)
      if (cursor.at('*')) {
        const brackets = { start: cursor.peek(-1).start, end: cursor.peek(1).end }
        cursor.fail(problems.badIndex(at, found, '.*', isClosed && sign > 0 ? replacing(brackets, '.*') : undefined))
      }
      const suggestion = number.kind === 'name' && isClosed ? `"${number.text}"` : undefined
      cursor.fail(problems.badIndex(at, found, suggestion, sign > 0 ? replacing(at, suggestion) : undefined))
    }
    cursor.take()
    const index = this.#wholeNumber(number, sign)
    cursor.expect(']')
    return { kind: 'index', index }
  }

  #wholeNumber(token: Token, sign: 1 | -1): number {
    const { value } = token
    if (typeof value !== 'number' || !Number.isSafeInteger(value))
      this.cursor.fail(problems.badIndex(spanOf(token), tokenText(token)))
    // `-0` is the first element, as `0` is.
    return sign * value || 0
  }

  #primary(): Expression {
    const { cursor } = this
    const { token } = cursor
    const span = spanOf(token)
    switch (token.kind) {
      case 'number':
      case 'string':
        cursor.take()
        return { kind: 'literal', value: defined(token.value), span }
      case 'variable':
        cursor.take()
        return { kind: 'variable', name: token.text, path: [], span }
      case 'root':
        cursor.take()
        return { kind: 'field', path: [], span }
      case 'name':
        return this.#name(cursor.take())
      case 'keyword':
        return this.#keyword(token)
      default:
        return this.#group()
    }
  }

  #name(token: Token): Expression {
    const span = spanOf(token)
    if (this.cursor.at('(')) return this.#call(token)
    if (this.locals.includes(token.text)) return { kind: 'local', name: token.text, path: [], span }
    return { kind: 'field', path: [{ kind: 'name', name: token.text }], span }
  }

  #keyword(token: Token): Expression {
    const { cursor } = this
    const constant = CONSTANTS.get(token.text)
    if (constant !== undefined) {
      cursor.take()
      return { kind: 'literal', value: constant, span: spanOf(token) }
    }
    if (this.language.functions.has(token.text) && isMark(cursor.peek(1), '(')) return this.#call(cursor.take())
    if (token.text === 'if')
      cursor.fail(problems.unexpectedToken(spanOf(token), '`if`', 'an operand', '(if … then … else …)'))
    return cursor.unexpected('an operand')
  }

  #group(): Expression {
    const { cursor } = this
    if (cursor.at('(')) {
      cursor.take()
      const inner = this.expression()
      cursor.expect(')', 'an operator or `)`')
      return inner
    }
    if (cursor.at('[')) return this.#list()
    if (cursor.at('{')) return this.#object()
    return cursor.unexpected('an operand')
  }

  #list(): Expression {
    const { cursor } = this
    const limit = cursor.token === this.#longList ? SYNTAX_LIMITS.membershipList : SYNTAX_LIMITS.list
    const { start } = cursor.take()
    const items: Expression[] = []
    if (!cursor.at(']')) {
      do {
        if (items.length === limit) cursor.fail(problems.listTooLong(spanOf(cursor.token), limit))
        items.push(this.expression())
      } while (cursor.accept(','))
    }
    cursor.expect(']', '`,` or `]`')
    return { kind: 'array', items, span: { start, end: cursor.end } }
  }

  #object(): Expression {
    const { cursor } = this
    const { start } = cursor.take()
    const entries: { key: string; value: Expression }[] = []
    const keys = new Set<string>()
    if (!cursor.at('}')) {
      do {
        const key = this.#key()
        if (keys.has(String(key.value))) cursor.fail(problems.duplicateKey(spanOf(key), String(key.value)))
        keys.add(String(key.value))
        cursor.expect(':')
        entries.push({ key: String(key.value), value: this.expression() })
      } while (cursor.accept(','))
    }
    cursor.expect('}', '`,` or `}`')
    return { kind: 'object', entries, span: { start, end: cursor.end } }
  }

  #key(): Token {
    const { cursor } = this
    const { token } = cursor
    if (token.kind === 'string') return cursor.take()
    const suggestion = token.kind === 'name' || token.kind === 'keyword' ? `"${token.text}"` : undefined
    const fix = replacing(spanOf(token), suggestion)
    return cursor.fail(problems.unexpectedToken(spanOf(token), tokenText(token), 'a quoted key', suggestion, fix))
  }

  #call(name: Token): Expression {
    const { cursor } = this
    cursor.take()
    const args: Expression[] = []
    if (!cursor.at(')')) {
      do args.push(this.#argument())
      while (cursor.accept(','))
    }
    cursor.expect(')', '`,` or `)`')
    const span = { start: name.start, end: cursor.end }
    const [first] = args
    if (first !== undefined && args.length === 1 && this.language.functions.get(name.text)?.argument === 'path')
      args[0] = this.#pathArgument(name.text, first)
    return { kind: 'call', name: name.text, args, span, nameSpan: spanOf(name) }
  }

  /** `exists("a.b")` means `exists(a.b)`. */
  #pathArgument(name: string, argument: Expression): Expression {
    if ('path' in argument) return argument
    if (argument.kind === 'literal' && typeof argument.value === 'string') {
      const path = this.pathIn(argument.value)
      if (path !== undefined) return { ...path, span: argument.span }
    }
    const found = this.cursor.text.slice(argument.span.start, argument.span.end)
    return this.cursor.fail(problems.notPath(argument.span, quote(name), quote(found)))
  }

  #argument(): Expression {
    const { cursor } = this
    if (cursor.token.kind === 'name' && isMark(cursor.peek(1), '=>')) return this.#lambda([cursor.take()])
    const parameters = this.#parameterList()
    return parameters === undefined ? this.expression() : this.#lambda(parameters)
  }

  /** `(x, index)` followed by `=>`; otherwise consumes nothing. */
  #parameterList(): Token[] | undefined {
    const { cursor } = this
    if (!cursor.at('(')) return undefined
    const parameters: Token[] = []
    let ahead = 1
    for (; cursor.peek(ahead).kind === 'name'; ahead += 2) {
      parameters.push(cursor.peek(ahead))
      if (!isMark(cursor.peek(ahead + 1), ',')) break
    }
    const closing = parameters.length === 0 ? ahead : ahead + 1
    if (!isMark(cursor.peek(closing), ')') || !isMark(cursor.peek(closing + 1), '=>')) return undefined
    for (let count = 0; count <= closing; count++) cursor.take()
    return parameters
  }

  #lambda(parameters: readonly Token[]): Lambda {
    const { cursor } = this
    const arrow = cursor.expect('=>')
    const names = parameters.map(({ text }) => text)
    const [first = arrow, second, third] = parameters
    if (first === arrow) cursor.fail(problems.lambdaParameters(spanOf(arrow), 'a function needs a parameter: `x => …`'))
    if (third !== undefined)
      cursor.fail(
        problems.lambdaParameters(spanOf(third), 'a function has at most two parameters: the item and its index'),
      )
    if (second?.text === first.text)
      cursor.fail(problems.lambdaParameters(spanOf(second), `the parameter ${quote(first.text)} occurs twice`))
    this.locals.push(...names)
    const body = this.expression()
    this.locals.length -= names.length
    return { kind: 'lambda', parameters: names, body, span: { start: first.start, end: cursor.end } }
  }
}

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ['true', true],
  ['false', false],
  ['null', null],
])
