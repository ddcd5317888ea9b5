import { tableKeys, type BinaryOperator, isOperatorOf, mirrored, type OperatorOf } from '@engine/expression'

/** A comparison of two values, with its operator in the rules and its database forms. */
export interface ComparisonDefinition {
  readonly operator: OperatorOf<'equality' | 'order'>
  readonly sql: string
  readonly mongo: string
  /** The negation, for non-null values. */
  readonly opposite: Comparison
  /** Whether two values of one type pass; `equality` compares their keys. */
  readonly passes: (left: number, right: number) => boolean
}

/** A comparison, by its name in the JSON form of a filter. */
export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** The comparisons, by their names in the JSON form of a filter. */
export const COMPARISONS = {
  eq: { operator: '==', sql: '=', mongo: '$eq', opposite: 'ne', passes: (left, right) => left === right },
  ne: { operator: '!=', sql: '!=', mongo: '$ne', opposite: 'eq', passes: (left, right) => left !== right },
  lt: { operator: '<', sql: '<', mongo: '$lt', opposite: 'ge', passes: (left, right) => left < right },
  le: { operator: '<=', sql: '<=', mongo: '$lte', opposite: 'gt', passes: (left, right) => left <= right },
  gt: { operator: '>', sql: '>', mongo: '$gt', opposite: 'le', passes: (left, right) => left > right },
  ge: { operator: '>=', sql: '>=', mongo: '$gte', opposite: 'lt', passes: (left, right) => left >= right },
} as const satisfies Readonly<Record<Comparison, ComparisonDefinition>>

const NAMES = tableKeys(COMPARISONS)

const BY_OPERATOR: ReadonlyMap<BinaryOperator, Comparison> = new Map(
  NAMES.map((name) => [COMPARISONS[name].operator, name]),
)

/** The comparison of an operator. */
export function comparisonOf(operator: BinaryOperator): Comparison | undefined {
  return BY_OPERATOR.get(operator)
}

/** The comparison with its operands swapped: `a < b` is `b > a`. */
export function flipped(comparison: Comparison): Comparison {
  return BY_OPERATOR.get(mirrored(COMPARISONS[comparison].operator)) ?? comparison
}

/** Whether a comparison is about order. */
export function isOrder(op: string): op is 'lt' | 'le' | 'gt' | 'ge' {
  const operator = NAMES.find((name) => name === op)
  return operator !== undefined && isOperatorOf('order', COMPARISONS[operator].operator)
}

/** Substring tests, by the functions of the rules. */
export const TEXT_TESTS = {
  contains: { passes: (text, part) => text.includes(part), mongo: (pattern) => pattern },
  starts_with: { passes: (text, part) => text.startsWith(part), mongo: (pattern) => `^${pattern}` },
  ends_with: { passes: (text, part) => text.endsWith(part), mongo: (pattern) => `${pattern}$` },
} as const satisfies Readonly<
  Record<string, { passes: (text: string, part: string) => boolean; mongo: (pattern: string) => string }>
>

/** A substring test, by the name of its function in rules. */
export type TextTest = keyof typeof TEXT_TESTS

/** The text test of a function. */
export function textTestOf(name: string): TextTest | undefined {
  if (name === 'contains_str') return 'contains'
  return Object.hasOwn(TEXT_TESTS, name) ? (name as TextTest) : undefined
}

/** The test that a negative one negates; undefined for a positive test. */
export function negatedTextTest(op: string): TextTest | undefined {
  return op.startsWith('not_') ? textTestOf(op.slice(4)) : undefined
}
