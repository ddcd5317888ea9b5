import type { NativeFunction } from './natives.ts'
import type { FeelShape } from './shape.ts'

/** FEEL expressions (DMN 1.3, 10.3) that can be converted. Offsets are in UTF-16 units of the text. */
export type Feel =
  | { readonly kind: 'literal'; readonly value: null | boolean | string }
  /** `text`: as written; our numbers represent it exactly. */
  | { readonly kind: 'number'; readonly text: string }
  /** A date or time without an offset, in ISO 8601. */
  | { readonly kind: 'time'; readonly text: string }
  /** `?`: the value tested by an input entry. */
  | { readonly kind: 'tested' }
  | { readonly kind: 'path'; readonly name: string; readonly members: readonly string[] }
  | { readonly kind: 'negation'; readonly operand: Feel }
  | { readonly kind: 'arithmetic'; readonly operator: Arithmetic; readonly left: Feel; readonly right: Feel }
  | { readonly kind: 'comparison'; readonly operator: Comparison; readonly left: Feel; readonly right: Feel }
  | { readonly kind: 'logic'; readonly operator: 'and' | 'or'; readonly left: Feel; readonly right: Feel }
  | { readonly kind: 'not'; readonly operand: Feel }
  | { readonly kind: 'membership'; readonly value: Feel; readonly tests: readonly FeelTest[] }
  | { readonly kind: 'if'; readonly condition: Feel; readonly consequent: Feel; readonly alternate: Feel }
  | { readonly kind: 'list'; readonly items: readonly Feel[] }
  | { readonly kind: 'context'; readonly entries: readonly (readonly [key: string, value: Feel])[] }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Feel[] }
  /** The item of the iteration with this parameter, or a member of it. `shape`: of the whole item. */
  | {
      readonly kind: 'item'
      readonly parameter: symbol
      readonly members: readonly string[]
      readonly shape: FeelShape | undefined
    }
  /** The values of the body for each item; `isFlat`: each is a list, and they are joined. */
  | {
      readonly kind: 'each'
      readonly parameter: symbol
      readonly list: Feel
      readonly body: Feel
      readonly isFlat?: boolean
    }
  | {
      readonly kind: 'quantified'
      readonly quantifier: 'some' | 'every'
      readonly parameter: symbol
      readonly list: Feel
      readonly test: Feel
    }
  | { readonly kind: 'filter'; readonly parameter: symbol; readonly list: Feel; readonly test: Feel }
  /** `index`: one-based, from the end when negative. */
  | { readonly kind: 'indexed'; readonly list: Feel; readonly index: number }
  /** The list in the order of a key of its items; items with the same key stay in their order. */
  | {
      readonly kind: 'sorted'
      readonly parameter: symbol
      readonly list: Feel
      readonly key: Feel
      readonly isDescending: boolean
    }
  /** Rounded to decimal places, half to even. */
  | { readonly kind: 'rounded'; readonly value: Feel; readonly digits: number }
  /** The text of a number, text or boolean. */
  | { readonly kind: 'text'; readonly value: Feel }
  /** A function that is an expression of several functions here. */
  | { readonly kind: 'native'; readonly function: NativeFunction; readonly args: readonly Feel[] }
  /** A constant duration, in months or seconds. */
  | { readonly kind: 'span'; readonly amount: number; readonly unit: 'months' | 'seconds' }
  /** A decision table. `otherwise`: the value when no rule matches. */
  | {
      readonly kind: 'rules'
      readonly name: string
      readonly policy: RulesPolicy
      readonly rules: readonly { readonly condition: Feel; readonly value: Feel }[]
      readonly otherwise: Feel
    }

export type RulesPolicy = 'first' | 'unique' | 'any' | 'list' | 'sum' | 'min' | 'max' | 'count'

export type Arithmetic = '+' | '-' | '*' | '/' | '**'
export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='

/** FEEL functions with the same meaning here, by our names. */
export const FUNCTIONS = {
  abs: 'abs',
  floor: 'floor',
  ceiling: 'ceil',
  sqrt: 'sqrt',
  'upper case': 'upper',
  'lower case': 'lower',
  'starts with': 'starts_with',
  'ends with': 'ends_with',
  contains: 'contains_str',
  count: 'count',
  min: 'min',
  max: 'max',
  mean: 'avg',
  sum: 'sum',
} as const
export type FunctionName = keyof typeof FUNCTIONS

/** Functions of two arguments; all others have one. */
export const TWO_ARGUMENTS: ReadonlySet<string> = new Set<FunctionName>(['starts with', 'ends with', 'contains'])

/** Functions of one list, whose items may also be passed as separate arguments. */
export const OF_LISTS: ReadonlySet<string> = new Set<FunctionName>(['min', 'max', 'mean', 'sum'])

/** Durations are texts here: `P10D` is less than `P9D`, and `P1D` differs from `PT24H`. */
export const isDuration = (type: string | undefined) => type === 'dayTimeDuration' || type === 'yearMonthDuration'

/** One of the tests of an input entry. */
export type FeelTest =
  | { readonly kind: 'comparison'; readonly operator: Comparison; readonly value: Feel }
  | { readonly kind: 'interval'; readonly low: Bound; readonly high: Bound }
  /** The value is an item of a list. */
  | { readonly kind: 'item'; readonly list: Feel }
  /** A whole condition, with the tested value as `?`. */
  | { readonly kind: 'condition'; readonly condition: Feel }

export interface Bound {
  readonly value: Feel
  readonly isIncluded: boolean
}

/** An input entry. Without tests it matches any value. */
export interface UnaryTests {
  readonly isNegated: boolean
  readonly tests: readonly FeelTest[]
}

/** Why a text cannot be converted. */
export class FeelFault extends Error {}
