import { BINARY_SPELLINGS, UNARY_SPELLINGS } from './operator-table.ts'
import type { NumberValue } from './decimal/decimal.ts'
import type { Span } from './source.ts'

/** The kind of a token; editors colour by it. `invalid` is a piece of text with a lexical problem. */
export type TokenKind =
  | 'number'
  | 'string'
  | 'name'
  | 'keyword'
  | 'variable'
  | 'root'
  | 'operator'
  | 'wildcard'
  | 'punctuation'
  | 'invalid'
  | 'end'

/** One token; its own span is `start` to `end`. */
export interface Token extends Span {
  readonly kind: TokenKind
  /** The characters as written; for a variable without `$`. */
  readonly text: string
  /** The value of a number or string. */
  readonly value: NumberValue | string | undefined
}

const PLAIN_NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u

/** Whether a name may follow a dot unquoted; other names need `["…"]`. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name)
}

const OPERATOR_WORDS = [...BINARY_SPELLINGS.keys(), ...UNARY_SPELLINGS.keys()]
  .flatMap((spelling) => spelling.split(' '))
  .filter(isPlainName)

/** Words that cannot be a bare field; after a dot or `$.` they are ordinary names. */
export const KEYWORDS: ReadonlySet<string> = new Set([...OPERATOR_WORDS, 'if', 'then', 'else', 'true', 'false', 'null'])

/** Bounds on an expression's text; the error has a position. */
export const SYNTAX_LIMITS = {
  /** UTF-16 units of text. */
  text: 64 * 1024,
  /** Levels of nesting; a chain of operators of one level (`a + b - c`) counts as one. */
  nesting: 200,
  /** Operators along a chain, which is the height of the tree. */
  chain: 5_000,
  /** Parts of one path. */
  path: 200,
  /** Items of a list literal. */
  list: 10_000,
  /** Items of a list literal to the right of `in` and `not in`, which becomes a set. */
  membershipList: 100_000,
  /**
   * Maximum number of problems reported for one text: after so many errors further ones help little, and each takes
   * memory.
   */
  problems: 1000,
  /** Values of an expression's JSON form, including nested ones. */
  formValues: 150_000,
  /** UTF-16 units of all expression texts and paths in one JSON form. */
  formText: 64 * 1024,
} as const
