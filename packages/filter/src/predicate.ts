import { type Budget, defined, isNumber, stringifyJson, type Value } from '@engine/expression'
import { type Comparison, COMPARISONS, negatedTextTest, TEXT_TESTS, type TextTest, textTestOf } from './operations.ts'

/** A test of one non-null column. */
export type Test = ComparisonTest | Membership | { readonly op: TextTest | `not_${TextTest}`; readonly value: string }

/** A comparison of a column with a constant. */
export interface ComparisonTest {
  readonly op: Comparison
  readonly value: Value
}

/** Whether the value of a column is one of several. */
export interface Membership {
  readonly op: 'in' | 'not_in'
  readonly values: readonly Value[]
}

/**
 * A condition on a row with two truth values: no part of it is "unknown". `path` is the rule's field in canonical text.
 * A row with a null column lacks the field. Equal predicates of one filter are the same object: `Predicates` interns
 * them.
 */
export type Predicate = Leaf | Join

/** Predicates without parts. */
export type Leaf = Made &
  (
    | { readonly kind: 'always' | 'never' }
    | { readonly kind: 'null' | 'not_null'; readonly path: string }
    /** True for null only with `orNull`. */
    | { readonly kind: 'test'; readonly path: string; readonly test: Test; readonly orNull: boolean }
    /**
     * A comparison of two columns; `nulls` selects the matching rows with null: none, or those where either, both, or
     * exactly one is null.
     */
    | {
        readonly kind: 'compare'
        readonly op: Comparison
        readonly left: string
        readonly right: string
        readonly nulls: Nulls
      }
  )

/** All or any of at least two parts, none of the same kind. */
export type Join = Made & { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] }

interface Made {
  readonly id: number
  /** Approximate number of characters when written. */
  readonly weight: number
}

/** The rows with null that a comparison of two columns selects: none, or those where either, both or exactly one is null. */
export type Nulls = 'none' | 'either' | 'both' | 'one'

/** Maximum length of a filter, in characters of its conditions. No database accepts longer text. */
export const MAX_LENGTH = 2_000_000

/** A condition, or a filter, is longer than `MAX_LENGTH`. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
  constructor() {
    super(`it would be longer than ${MAX_LENGTH} characters`)
  }
}

/** Characters that columns and parentheses add to the operands: only the order of magnitude matters. */
const OVERHEAD = 16

/** Interns the predicates of one filter and charges for them: equal ones share an `id`. */
export class Predicates {
  readonly always: Leaf
  readonly never: Leaf
  readonly #budget: Budget
  readonly #made = new Map<string, Predicate>()
  readonly #complements = new Map<Predicate, Predicate>()

  constructor(budget: Budget) {
    this.#budget = budget
    this.always = this.#make('always', 0, (made) => ({ ...made, kind: 'always' }))
    this.never = this.#make('never', 0, (made) => ({ ...made, kind: 'never' }))
  }

  isNull(path: string): Predicate {
    return this.#make(`null ${path}`, path.length, (made) => ({ ...made, kind: 'null', path }))
  }

  notNull(path: string): Predicate {
    return this.#make(`not_null ${path}`, path.length, (made) => ({ ...made, kind: 'not_null', path }))
  }

  test(path: string, test: Test, orNull: boolean): Predicate {
    const operand = stringifyJson('values' in test ? test.values : test.value)
    const key = `${test.op} ${orNull} ${JSON.stringify(path)} ${operand}`
    return this.#make(key, key.length, (made) => ({ ...made, kind: 'test', path, test, orNull }))
  }

  compare(op: Comparison, left: string, right: string, nulls: Nulls): Predicate {
    const key = `${op} ${nulls} ${JSON.stringify([left, right])}`
    return this.#make(key, key.length, (made) => ({ ...made, kind: 'compare', op, left, right, nulls }))
  }

  /** Conjunction. Throws `TooLong`. */
  and(parts: readonly Predicate[]): Predicate {
    return this.#joined('and', parts, this.always, this.never)
  }

  /** Disjunction. Throws `TooLong`. */
  or(parts: readonly Predicate[]): Predicate {
    return this.#joined('or', parts, this.never, this.always)
  }

  /** Negation: the rows for which a predicate does not hold. */
  complement(predicate: Predicate): Predicate {
    const known = this.#complements.get(predicate)
    if (known !== undefined) return known
    const made = this.#complementOf(predicate)
    this.#complements.set(predicate, made)
    this.#complements.set(made, predicate)
    return made
  }

  #complementOf(predicate: Predicate): Predicate {
    switch (predicate.kind) {
      case 'always':
        return this.never
      case 'never':
        return this.always
      case 'null':
        return this.notNull(predicate.path)
      case 'not_null':
        return this.isNull(predicate.path)
      case 'test':
        return this.test(predicate.path, opposite(predicate.test), !predicate.orNull)
      case 'compare': {
        const { op, left, right, nulls } = predicate
        return this.compare(COMPARISONS[op].opposite, left, right, OTHER_NULLS[nulls])
      }
      case 'and':
        return this.or(predicate.parts.map((part) => this.complement(part)))
      case 'or':
        return this.and(predicate.parts.map((part) => this.complement(part)))
    }
  }

  #joined(kind: 'and' | 'or', given: readonly Predicate[], neutral: Predicate, decisive: Predicate): Predicate {
    const kept = new Set<Predicate>()
    for (const one of given) {
      if (one === decisive) return decisive
      for (const part of one.kind === kind ? one.parts : [one]) if (part !== neutral) kept.add(part)
    }
    const parts = [...kept]
    this.#budget.spend(2 * parts.length)
    const [first, second] = parts
    if (first === undefined) return neutral
    if (second === undefined) return first
    const weight = parts.reduce((sum, part) => sum + part.weight, 0)
    if (weight > MAX_LENGTH) throw new TooLong()
    const key = `${kind} ${parts.map(({ id }) => id).join(' ')}`
    return this.#make(key, weight, (made) => ({ ...made, kind, parts }))
  }

  #make<Kind extends Predicate>(key: string, weight: number, create: (made: Made) => Kind): Kind {
    this.#budget.spend(key.length >> 2)
    const known = this.#made.get(key)
    if (known !== undefined) return known as Kind
    this.#budget.create(OBJECT + key.length)
    const made = create({ id: this.#made.size, weight: weight + OVERHEAD })
    this.#made.set(key, made)
    return made
  }
}

/** Approximate bytes of a predicate without its key. */
const OBJECT = 150

const OTHER_NULLS: Readonly<Record<Nulls, Nulls>> = {
  none: 'either',
  either: 'none',
  both: 'one',
  one: 'both',
}

/** Whether a test is a comparison. */
export function isComparison(test: Test): test is ComparisonTest {
  return Object.hasOwn(COMPARISONS, test.op)
}

/** The test that passes exactly the non-null values that a test does not pass. */
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
      return { op: defined(negatedTextTest(test.op)), value: test.value }
    default:
      return { op: COMPARISONS[test.op].opposite, value: test.value }
  }
}

/** Whether a non-null value passes according to the rules; undefined where the rules would fail. */
export function passes(test: Test, value: Value): boolean | undefined {
  switch (test.op) {
    case 'eq':
      return keyOf(value) === keyOf(test.value)
    case 'ne':
      return keyOf(value) !== keyOf(test.value)
    case 'in':
      return keysOf(test).has(keyOf(value))
    case 'not_in':
      return !keysOf(test).has(keyOf(value))
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return areOrdered(value, test.value)
        ? COMPARISONS[test.op].passes(value as number, test.value as number)
        : undefined
    default:
      return typeof value === 'string' ? textPasses(test.op, value, test.value) : undefined
  }
}

/** Equal values have equal keys, including numbers and integers of different representation. */
export function keyOf(value: Value): string {
  if (typeof value === 'string') return `"${value}`
  if (typeof value === 'number') return Number.isInteger(value) ? String(BigInt(value)) : String(value)
  return typeof value === 'bigint' ? String(value) : stringifyJson(value)
}

/** The keys of the values in a membership test. */
export function keysOf(test: Membership): ReadonlySet<string> {
  const known = keys.get(test)
  if (known !== undefined) return known
  const made = new Set(test.values.map(keyOf))
  keys.set(test, made)
  return made
}

const keys = new WeakMap<Membership, ReadonlySet<string>>()

function textPasses(op: TextTest | `not_${TextTest}`, text: string, part: string): boolean {
  const negated = negatedTextTest(op)
  if (negated !== undefined) return !textPasses(negated, text, part)
  return TEXT_TESTS[defined(textTestOf(op))].passes(text, part)
}

/** Whether two values are comparable by order. */
function areOrdered(left: Value, right: Value): boolean {
  return (isNumber(left) && isNumber(right)) || (typeof left === 'string' && typeof right === 'string')
}

/** All distinct leaves of a list of predicates. */
export function leavesOf(predicates: Iterable<Predicate>, budget: Budget): readonly Leaf[] {
  const seen = new Set<Predicate>()
  const leaves: Leaf[] = []
  const look = (predicate: Predicate): void => {
    budget.spend(2)
    if (seen.has(predicate)) return
    seen.add(predicate)
    if ('parts' in predicate) predicate.parts.forEach(look)
    else leaves.push(predicate)
  }
  for (const predicate of predicates) look(predicate)
  return leaves
}

/** Every field of a leaf. */
export function fieldsOf(leaf: Leaf): readonly string[] {
  if (leaf.kind === 'compare') return [leaf.left, leaf.right]
  return 'path' in leaf ? [leaf.path] : []
}
