import type { BinaryOperator } from './ast.ts'
import type { Span } from './source.ts'

/** What a token is; editors colour by it. `invalid` is a piece of text that the lexer has a problem with. */
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
  /** The characters as written; a variable's without `$`. */
  readonly text: string
  /** The value of a number or string. */
  readonly value: number | bigint | string | undefined
}

/** Words that cannot be a bare field; after a dot, or behind `$.`, they are ordinary names. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'contains',
  'if',
  'then',
  'else',
  'true',
  'false',
  'null',
])

/** How tightly binary operators bind, loosest first. */
export const LEVEL = { or: 1, and: 2, comparison: 3, membership: 4, additive: 5, multiplicative: 6 } as const

/** A binary operator as it may be written, its canonical form and its level. `not in` is two tokens: parser.ts. */
export const BINARY_OPERATORS: ReadonlyMap<string, { readonly operator: BinaryOperator; readonly level: number }> =
  new Map([
    ['||', { operator: '||', level: LEVEL.or }],
    ['or', { operator: '||', level: LEVEL.or }],
    ['&&', { operator: '&&', level: LEVEL.and }],
    ['and', { operator: '&&', level: LEVEL.and }],
    ['==', { operator: '==', level: LEVEL.comparison }],
    ['!=', { operator: '!=', level: LEVEL.comparison }],
    ['<', { operator: '<', level: LEVEL.comparison }],
    ['<=', { operator: '<=', level: LEVEL.comparison }],
    ['>', { operator: '>', level: LEVEL.comparison }],
    ['>=', { operator: '>=', level: LEVEL.comparison }],
    ['in', { operator: 'in', level: LEVEL.membership }],
    ['contains', { operator: 'contains', level: LEVEL.membership }],
    ['+', { operator: '+', level: LEVEL.additive }],
    ['-', { operator: '-', level: LEVEL.additive }],
    ['*', { operator: '*', level: LEVEL.multiplicative }],
    ['/', { operator: '/', level: LEVEL.multiplicative }],
    ['%', { operator: '%', level: LEVEL.multiplicative }],
  ])

/** Bounds on an expression's text; beyond them it is refused with a position. */
export const SYNTAX_LIMITS = {
  /** UTF-16 units of text. */
  text: 64 * 1024,
  /** Levels of nesting; a chain of operators of one level (`a + b - c`) is one. */
  nesting: 200,
  /** Operators along a chain, that is the height of the tree. */
  chain: 5_000,
  /** Parts of one path. */
  path: 200,
  /** Items of a list literal. */
  list: 10_000,
  /** Items of a list literal to the right of `in` and `not in`, which becomes a set. */
  membershipList: 100_000,
  /** Values of the JSON form of an expression, those inside of lists and objects included. */
  formValues: 150_000,
  /** UTF-16 units of all expression texts and paths in one JSON form. */
  formText: 256 * 1024,
} as const

const PLAIN_NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u

/** True when a name may stand behind a dot as it is; others go into `["…"]`. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name)
}
