import { isNumber, stringifyJson, type Value } from '@engine/expression'

/** What is asked of one column, which is not null. */
export type Test =
  | { readonly op: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'; readonly value: Value }
  | { readonly op: 'in' | 'not_in'; readonly values: readonly Value[] }
  | { readonly op: TextTest | `not_${TextTest}`; readonly value: string }

export type TextTest = 'contains' | 'starts_with' | 'ends_with'

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/**
 * A condition on a row, two-valued: no part of it is "unknown". `path` is the rule's field, as its canonical text. A row in
 * which a column is null has no such field.
 */
export type Predicate =
  | { readonly kind: 'always' | 'never' }
  | { readonly kind: 'null' | 'not_null'; readonly path: string }
  /** True of a null only with `orNull`. */
  | { readonly kind: 'test'; readonly path: string; readonly test: Test; readonly orNull: boolean }
  /** Two columns; `nulls` are the rows with a null that hold too: none, those where either, both, or exactly one is null. */
  | {
      readonly kind: 'compare'
      readonly op: Comparison
      readonly left: string
      readonly right: string
      readonly nulls: Nulls
    }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] }

export type Nulls = 'none' | 'either' | 'both' | 'one'

export const ALWAYS: Predicate = { kind: 'always' }
export const NEVER: Predicate = { kind: 'never' }

/** The same text for the same predicate. */
export function keyOf(predicate: Predicate): string {
  const known = keys.get(predicate)
  if (known !== undefined) return known
  const key = writeKey(predicate)
  keys.set(predicate, key)
  return key
}

const keys = new WeakMap<Predicate, string>()

function writeKey(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'always':
    case 'never':
      return predicate.kind
    case 'null':
    case 'not_null':
      return `${predicate.kind} ${JSON.stringify(predicate.path)}`
    case 'test': {
      const { op } = predicate.test
      const operand = 'values' in predicate.test ? predicate.test.values : predicate.test.value
      return `${op} ${JSON.stringify(predicate.path)} ${stringifyJson(operand)} ${predicate.orNull}`
    }
    case 'compare':
      return `${predicate.op} ${JSON.stringify([predicate.left, predicate.right])} ${predicate.nulls}`
    case 'and':
    case 'or':
      return `${predicate.kind}(${predicate.parts.map(keyOf).join(', ')})`
  }
}

/** All of them; each once. */
export function and(parts: readonly Predicate[]): Predicate {
  return joined('and', parts, 'always', 'never')
}

/** Any of them; each once. */
export function or(parts: readonly Predicate[]): Predicate {
  return joined('or', parts, 'never', 'always')
}

function joined(
  kind: 'and' | 'or',
  parts: readonly Predicate[],
  neutral: 'always' | 'never',
  decisive: 'always' | 'never',
): Predicate {
  const kept = new Map<string, Predicate>()
  for (const part of parts) {
    if (part.kind === decisive) return part
    if (part.kind !== neutral) kept.set(keyOf(part), part)
  }
  const [first, second] = kept.values()
  if (first === undefined) return { kind: neutral }
  return second === undefined ? first : { kind, parts: [...kept.values()] }
}

/** The rows for which a predicate does not hold. */
export function complement(predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case 'always':
      return NEVER
    case 'never':
      return ALWAYS
    case 'null':
      return { kind: 'not_null', path: predicate.path }
    case 'not_null':
      return { kind: 'null', path: predicate.path }
    case 'test':
      return { ...predicate, test: opposite(predicate.test), orNull: !predicate.orNull }
    case 'compare':
      return { ...predicate, op: OPPOSITES[predicate.op], nulls: OTHER_NULLS[predicate.nulls] ?? 'none' }
    case 'and':
      return or(predicate.parts.map(complement))
    case 'or':
      return and(predicate.parts.map(complement))
  }
}

/** What holds exactly where the other, of values that are not null, does not. */
export const OPPOSITES: Readonly<Record<Comparison, Comparison>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'ge',
  ge: 'lt',
  gt: 'le',
  le: 'gt',
}
const OTHER_NULLS: Readonly<Partial<Record<Nulls, Nulls>>> = {
  none: 'either',
  either: 'none',
  both: 'one',
  one: 'both',
}

export function opposite(test: Test): Test {
  switch (test.op) {
    case 'in':
      return { op: 'not_in', values: test.values }
    case 'not_in':
      return { op: 'in', values: test.values }
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { op: `not_${test.op}`, value: test.value }
    case 'not_contains':
    case 'not_starts_with':
    case 'not_ends_with':
      return { op: test.op.slice(4) as TextTest, value: test.value }
    default:
      return { op: OPPOSITES[test.op], value: test.value }
  }
}

/** Whether a value that is not null passes, by the rules' meaning; undefined where the rules would fail. */
export function passes(test: Test, value: Value): boolean | undefined {
  switch (test.op) {
    case 'eq':
      return isSame(value, test.value)
    case 'ne':
      return !isSame(value, test.value)
    case 'in':
      return test.values.some((other) => isSame(value, other))
    case 'not_in':
      return !test.values.some((other) => isSame(value, other))
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return areOrdered(value, test.value) ? ORDERS[test.op](value as number, test.value as number) : undefined
    default:
      return typeof value === 'string' ? textPasses(test.op, value, test.value) : undefined
  }
}

const ORDERS: Readonly<Record<'lt' | 'le' | 'gt' | 'ge', (left: number, right: number) => boolean>> = {
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
}

function textPasses(op: TextTest | `not_${TextTest}`, text: string, part: string): boolean {
  if (op.startsWith('not_')) return !textPasses(op.slice(4) as TextTest, text, part)
  if (op === 'contains') return text.includes(part)
  return op === 'starts_with' ? text.startsWith(part) : text.endsWith(part)
}

/** Whether two values have a place in one order. */
export function areOrdered(left: Value, right: Value): boolean {
  return (isNumber(left) && isNumber(right)) || (typeof left === 'string' && typeof right === 'string')
}

function isSame(left: Value, right: Value): boolean {
  // oxlint-disable-next-line eqeqeq -- exact comparison between bigint and number
  if (isNumber(left) && isNumber(right)) return left == right
  return left === right || stringifyJson(left) === stringifyJson(right)
}

/** Every field that a predicate names. */
export function pathsOf(predicate: Predicate, into: Set<string> = new Set()): Set<string> {
  switch (predicate.kind) {
    case 'null':
    case 'not_null':
    case 'test':
      into.add(predicate.path)
      break
    case 'compare':
      into.add(predicate.left).add(predicate.right)
      break
    case 'and':
    case 'or':
      for (const part of predicate.parts) pathsOf(part, into)
      break
    default:
  }
  return into
}
