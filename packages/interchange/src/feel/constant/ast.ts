import type { Arithmetic, Comparison } from '../ast.ts'

/** An expression of FEEL, for evaluation at import. */
export type FeelExpression =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  /** `@"2020-01-01"` */
  | { readonly kind: 'at'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: FeelExpression; readonly name: string }
  | { readonly kind: 'filter'; readonly list: FeelExpression; readonly test: FeelExpression }
  | { readonly kind: 'call'; readonly target: FeelExpression; readonly args: readonly FeelArgument[] }
  | { readonly kind: 'negation'; readonly operand: FeelExpression }
  | {
      readonly kind: 'arithmetic'
      readonly operator: Arithmetic
      readonly left: FeelExpression
      readonly right: FeelExpression
    }
  | {
      readonly kind: 'comparison'
      readonly operator: Comparison
      readonly left: FeelExpression
      readonly right: FeelExpression
    }
  | {
      readonly kind: 'logic'
      readonly operator: 'and' | 'or'
      readonly left: FeelExpression
      readonly right: FeelExpression
    }
  | {
      readonly kind: 'between'
      readonly value: FeelExpression
      readonly low: FeelExpression
      readonly high: FeelExpression
    }
  | { readonly kind: 'in'; readonly value: FeelExpression; readonly tests: readonly FeelExpression[] }
  /** `< 5` within `in` or parentheses: a range without one bound, or of one value. */
  | { readonly kind: 'half-range'; readonly operator: Comparison; readonly value: FeelExpression }
  | {
      readonly kind: 'range'
      readonly low: FeelExpression
      readonly high: FeelExpression
      readonly isLowIncluded: boolean
      readonly isHighIncluded: boolean
    }
  | { readonly kind: 'instance'; readonly value: FeelExpression; readonly type: FeelType }
  | {
      readonly kind: 'if'
      readonly condition: FeelExpression
      readonly consequent: FeelExpression
      readonly alternate: FeelExpression
    }
  | { readonly kind: 'for'; readonly iterators: readonly FeelIterator[]; readonly body: FeelExpression }
  | {
      readonly kind: 'quantified'
      readonly quantifier: 'some' | 'every'
      readonly iterators: readonly FeelIterator[]
      readonly test: FeelExpression
    }
  | { readonly kind: 'list'; readonly items: readonly FeelExpression[] }
  | { readonly kind: 'context'; readonly entries: readonly (readonly [string, FeelExpression])[] }
  | {
      readonly kind: 'function'
      readonly parameters: readonly { readonly name: string; readonly type: FeelType | undefined }[]
      readonly body: FeelExpression
    }

export interface FeelArgument {
  readonly name: string | undefined
  readonly value: FeelExpression
}

/** `to`: the end of a range of whole numbers. */
export interface FeelIterator {
  readonly name: string
  readonly from: FeelExpression
  readonly to: FeelExpression | undefined
}

/** A type in an expression or a model. */
export type FeelType =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'list'; readonly items: FeelType }
  | { readonly kind: 'range'; readonly of: FeelType }
  | { readonly kind: 'context'; readonly members: readonly (readonly [string, FeelType])[] }
  | { readonly kind: 'function'; readonly parameters: readonly FeelType[]; readonly result: FeelType }
