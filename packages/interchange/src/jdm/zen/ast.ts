/** The syntax tree of an expression of ZEN, the language of the JSON Decision Model. */
export type Zen =
  | { readonly kind: 'literal'; readonly value: number | string | boolean | null }
  /** `name`; `$`, `$root`, `$nodes` and `#` are names as well. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: Zen; readonly key: Zen }
  | { readonly kind: 'slice'; readonly object: Zen; readonly from: Zen | undefined; readonly to: Zen | undefined }
  | { readonly kind: 'array'; readonly items: readonly Zen[] }
  | { readonly kind: 'object'; readonly entries: readonly { readonly key: string; readonly value: Zen }[] }
  /** Alternating texts and expressions. */
  | { readonly kind: 'template'; readonly parts: readonly (string | Zen)[] }
  | {
      readonly kind: 'interval'
      readonly from: Zen
      readonly to: Zen
      readonly open: IntervalEdge
      readonly close: IntervalEdge
    }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-' | '+'; readonly operand: Zen }
  | { readonly kind: 'binary'; readonly operator: ZenOperator; readonly left: Zen; readonly right: Zen }
  | { readonly kind: 'conditional'; readonly condition: Zen; readonly consequent: Zen; readonly alternate: Zen }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Zen[] }
  /** A method of a date: `object.name(args)`. */
  | { readonly kind: 'method'; readonly object: Zen; readonly name: string; readonly args: readonly Zen[] }
  /** `list as name`, the first argument of a function of a list. */
  | { readonly kind: 'alias'; readonly value: Zen; readonly name: string }
  /** `name = value; body` */
  | { readonly kind: 'assignment'; readonly name: string; readonly value: Zen; readonly body: Zen }

export type IntervalEdge = '[' | ']' | '(' | ')'

/** Precedence of binary operators; only `^` is right-associative. */
export const OPERATOR_LEVELS = {
  or: 10,
  and: 15,
  '==': 20,
  '!=': 20,
  '<': 20,
  '<=': 20,
  '>': 20,
  '>=': 20,
  in: 20,
  'not in': 20,
  '+': 30,
  '-': 30,
  '*': 60,
  '/': 60,
  '%': 60,
  '^': 70,
  '??': 80,
} as const

export type ZenOperator = keyof typeof OPERATOR_LEVELS

/** `not` binds looser than arithmetic, a sign tighter than everything. */
export const UNARY_LEVELS = { not: 50, '-': 200, '+': 200 } as const

/** A syntax error in a ZEN text. */
export class ZenSyntaxError extends Error {
  /** UTF-16 units from the start of the text. */
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}
