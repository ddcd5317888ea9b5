import { defined } from './defined.ts'
import { FOREIGN_FORMS } from './suggest/foreign-forms.ts'
import { BINARY_SPELLINGS, FOREIGN_OPERATORS } from './operator-table.ts'
import { problems, replacing } from './problems.ts'
import { quote } from './quote.ts'
import type { Problem, Span } from './source.ts'
import { KEYWORDS, SYNTAX_LIMITS, type Token, type TokenKind } from './token.ts'

/** Aborts the parse of one expression; caught in `parser.ts`. */
export class SyntaxFailure extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** A position in the token list of an expression. */
export class Cursor {
  readonly text: string
  readonly #tokens: readonly Token[]
  readonly #last: Token
  #index = 0
  #nesting = 0

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text
    this.#tokens = tokens
    this.#last = defined(tokens.at(-1))
  }

  get token(): Token {
    return this.#tokens[this.#index] ?? this.#last
  }

  /** The token `ahead` positions after the current one; past the end it is always `end`. */
  peek(ahead: number): Token {
    return this.#tokens[this.#index + ahead] ?? this.#last
  }

  /** The end offset of the last consumed token. */
  get end(): number {
    return this.#tokens[this.#index - 1]?.end ?? 0
  }

  take(): Token {
    const token = this.token
    this.#index++
    return token
  }

  /**
   * Whether the current token is this operator, keyword or punctuation mark; never a string or name with the same
   * letters.
   */
  at(text: string): boolean {
    return isMark(this.token, text)
  }

  /** Consume a mark if it is the current token. */
  accept(text: string): boolean {
    if (!this.at(text)) return false
    this.#index++
    return true
  }

  /** Consume a required mark. */
  expect(text: string, why = quote(text)): Token {
    if (!this.at(text)) this.unexpected(why)
    return this.take()
  }

  /** Run `parse` one level of nesting deeper, within the limit. */
  nested<T>(parse: () => T): T {
    const { nesting } = SYNTAX_LIMITS
    if (this.#nesting >= nesting) this.fail(problems.nestedTooDeeply(this.token, nesting))
    this.#nesting++
    const result = parse()
    this.#nesting--
    return result
  }

  fail(problem: Problem): never {
    throw new SyntaxFailure(problem)
  }

  /** Fail at the current token. */
  unexpected(expected: string): never {
    const { token } = this
    if (isMark(token, '=>')) this.fail(problems.misplacedLambda(spanOf(token)))
    const at = spanOf(token)
    const replacement = this.#replacement(token)
    const suggestion = replacement ?? FOREIGN_FORMS.get(token.kind === 'name' ? token.text.toLowerCase() : '')
    const fix = isInfix(replacement, expected) && isOperand(this.peek(1)) ? replacing(at, replacement) : undefined
    this.fail(problems.unexpectedToken(at, tokenText(token), expected, suggestion, fix))
  }

  /** The replacement for a word: the keyword in lower case, or our operator for one of another language. */
  #replacement(token: Token): string | undefined {
    if (isMark(token, 'not')) return 'not in'
    if (token.kind !== 'name') return undefined
    const word = token.text.toLowerCase()
    return KEYWORDS.has(word) ? word : FOREIGN_OPERATORS.get(word)
  }
}

/** Whether a token is this operator, keyword or punctuation mark. */
export function isMark(token: Token, text: string): boolean {
  return token.text === text && (token.kind === 'punctuation' || token.kind === 'operator' || token.kind === 'keyword')
}

/** Whether a word is an operator between operands, or the keyword, that is expected. */
function isInfix(word: string | undefined, expected: string): boolean {
  if (word === undefined) return false
  if (expected.includes(quote(word))) return true
  return BINARY_SPELLINGS.has(word) && /^(?:an operator|`,` or)/.test(expected)
}

/** Whether an operand can begin with a token. */
function isOperand({ kind, text }: Token): boolean {
  return OPERANDS.has(kind) || FIRST_MARKS.has(text)
}

const OPERANDS: ReadonlySet<TokenKind> = new Set(['number', 'string', 'name', 'variable', 'root'])
const FIRST_MARKS: ReadonlySet<string> = new Set(['(', '[', '{', '-', '!', 'not', 'if', 'true', 'false', 'null'])

/** A token as it appears in messages. */
export function tokenText(token: Token): string {
  if (token.kind === 'end') return 'the end of the expression'
  return quote(token.kind === 'variable' ? `$${token.text}` : token.text)
}

export function spanOf({ start, end }: Span): Span {
  return { start, end }
}
