import type { Binary, BinaryOperator, Expression } from './ast.ts'
import { Cursor, spanOf, SyntaxFailure } from './cursor.ts'
import { tokenize } from './lexer.ts'
import { BINARY_SPELLINGS, LEVEL, OPERATORS, UNARY_SPELLINGS } from './operator-table.ts'
import { type Language, PostfixParser } from './parser-postfix.ts'
import { problems } from './problems.ts'
import { quote } from './quote.ts'
import type { Problem } from './source.ts'
import { SYNTAX_LIMITS, type Token } from './token.ts'
import { isNumber, negated } from './value.ts'

/** An expression, or at least one problem. */
export type Parsed =
  | { readonly kind: 'parsed'; readonly expression: Expression }
  | { readonly kind: 'failed'; readonly problems: readonly Problem[] }

/** Parse an expression or a path in a language with these functions. */
export function parseAs(start: 'expression' | 'path', text: string, language: Language): Parsed {
  const { tokens, problems: found } = tokenize(text, language.numbers)
  if (found.length > 0) return { kind: 'failed', problems: found }
  try {
    const parser = new Parser(new Cursor(text, tokens), language)
    return { kind: 'parsed', expression: start === 'path' ? parser.wholePath() : parser.whole() }
  } catch (error) {
    if (error instanceof SyntaxFailure) return { kind: 'failed', problems: [error.problem] }
    throw error
  }
}

/** Conditionals and operators, loosest first; `parser-postfix.ts` has what binds tighter. */
class Parser extends PostfixParser {
  /** Heights of the trees of binary operators: chains are walked in loops, so their length has its own limit. */
  readonly #heights = new WeakMap<Expression, number>()

  whole(): Expression {
    const { cursor } = this
    if (cursor.token.kind === 'end') cursor.fail(problems.empty(spanOf(cursor.token)))
    const expression = this.expression()
    if (cursor.token.kind !== 'end') cursor.unexpected('an operator or the end of the expression')
    return expression
  }

  wholePath(): Expression {
    const { cursor } = this
    if (cursor.token.kind === 'end') cursor.fail(problems.empty(spanOf(cursor.token)))
    const path = this.postfix()
    if (cursor.token.kind !== 'end') cursor.unexpected('`.`, `[` or the end of the path')
    if (path.kind !== 'field' && path.kind !== 'variable' && path.kind !== 'local')
      cursor.fail(problems.notPath(path.span, 'this place', quote(cursor.text)))
    return path
  }

  protected override pathIn(text: string): Expression | undefined {
    const parsed = parseAs('path', text, { ...this.language, locals: this.locals })
    return parsed.kind === 'parsed' ? parsed.expression : undefined
  }

  override expression(): Expression {
    return this.cursor.nested(() => {
      const start = this.cursor.token
      if (this.cursor.at('if')) return this.#ifThenElse()
      const condition = this.#binary(LEVEL.or)
      return this.cursor.accept('?') ? this.#ternary(condition, start) : condition
    })
  }

  #ifThenElse(): Expression {
    const { cursor } = this
    const { start } = cursor.take()
    const condition = this.expression()
    cursor.expect('then', 'an operator or `then`')
    const consequent = this.expression()
    cursor.expect('else', 'an operator or `else`')
    const alternate = this.expression()
    return { kind: 'conditional', condition, consequent, alternate, span: { start, end: cursor.end } }
  }

  #ternary(condition: Expression, { start }: Token): Expression {
    const { cursor } = this
    const consequent = this.expression()
    cursor.expect(':', 'Consume an operator of exactly this level, of one or two words.')
    const alternate = this.expression()
    return { kind: 'conditional', condition, consequent, alternate, span: { start, end: cursor.end } }
  }

  #binary(level: number): Expression {
    if (level > LEVEL.multiplicative) return this.#unary()
    const { start } = this.cursor.token
    let left = this.#binary(level + 1)
    for (let found = this.#operator(level); found !== undefined; found = this.#operator(level)) {
      const right = this.#operand(found.operator, level)
      const span = { start, end: this.cursor.end }
      left = this.#node({ kind: 'binary', operator: found.operator, left, right, span, operatorSpan: found.span })
      if (level === LEVEL.comparison || level === LEVEL.membership) this.#refuseChain(left, level)
    }
    return left
  }

  /** Take an operator of exactly this level, of one or two words. */
  #operator(level: number): { operator: BinaryOperator; span: { start: number; end: number } } | undefined {
    const { cursor } = this
    const { token } = cursor
    if (!isOperator(token)) return undefined
    const next = cursor.peek(1)
    const twoWords = next.kind === 'keyword' ? BINARY_SPELLINGS.get(`${token.text} ${next.text}`) : undefined
    const operator = twoWords ?? BINARY_SPELLINGS.get(token.text)
    if (operator === undefined || OPERATORS[operator].level !== level) return undefined
    cursor.take()
    return { operator, span: { start: token.start, end: twoWords === undefined ? token.end : cursor.take().end } }
  }

  #operand(operator: BinaryOperator, level: number): Expression {
    if (OPERATORS[operator].container === 'right') this.allowLongList()
    return this.#binary(level + 1)
  }

  #node(node: Binary): Binary {
    const height = 1 + Math.max(this.#heights.get(node.left) ?? 0, this.#heights.get(node.right) ?? 0)
    if (height > SYNTAX_LIMITS.chain) this.cursor.fail(problems.chainTooLong(node.operatorSpan, SYNTAX_LIMITS.chain))
    this.#heights.set(node, height)
    return node
  }

  /** `a < b < c`: comparisons and memberships give booleans, so a second one in a row is a mistake. */
  #refuseChain(left: Binary, level: number): void {
    const { cursor } = this
    const second = this.#operator(level)
    if (second === undefined) return
    const middleStart = cursor.text.slice(left.operatorSpan.end, second.span.start).trim()
    const first = cursor.text.slice(left.span.start, second.span.start).trim()
    const { start } = cursor.token
    this.#binary(level + 1)
    const last = cursor.text.slice(start, cursor.end)
    const operator = cursor.text.slice(second.span.start, second.span.end)
    cursor.fail(
      level === LEVEL.comparison
        ? problems.chainedComparison(second.span, `${first} && ${middleStart} ${operator} ${last}`)
        : problems.chainedMembership(second.span, `(${first}) ${operator} ${last}`),
    )
  }

  #unary(): Expression {
    const { cursor } = this
    const { token } = cursor
    const operator = isOperator(token) ? UNARY_SPELLINGS.get(token.text) : undefined
    if (operator === undefined) return this.postfix()
    cursor.take()
    const operand = cursor.nested(() => this.#unary())
    const span = { start: token.start, end: cursor.end }
    if (operator !== '-') return { kind: 'unary', operator, operand, span }
    // `-5` is a number, so that every value has one canonical text.
    if (operand.kind === 'literal' && isNumber(operand.value))
      return { kind: 'literal', value: negated(operand.value), span }
    return { kind: 'unary', operator, operand, span }
  }
}

/** Whether a token can be an operator: a word is one unless it is a name. */
function isOperator({ kind }: Token): boolean {
  return kind === 'operator' || kind === 'keyword'
}
