import type { Value } from '@engine/expression'
import { and, areOrdered, complement, keyOf, NEVER, or, passes, type Predicate, type Test } from './predicate.ts'

/**
 * Conditions that hold together, without those that follow from others; undefined when no row can meet them all. The
 * order stays.
 */
export function simplified(conditions: readonly Predicate[]): readonly Predicate[] | undefined {
  const facts = factsOf(conditions)
  if (facts === undefined) return undefined
  const kept = new Map<string, Predicate>()
  const told = new Set<string>()
  for (const condition of conditions) {
    const shorter = reduced(condition, facts, told)
    if (shorter.kind === 'never') return undefined
    if (shorter.kind !== 'always') kept.set(keyOf(shorter), shorter)
  }
  return [...kept.values()]
}

/** What a path says of one column. */
interface Facts {
  /** Some condition keeps nulls out. */
  hasNoNull: boolean
  isNull: boolean
  /** The values that are left, when a condition names them. */
  values: readonly Value[] | undefined
  readonly tests: Test[]
}

interface AllFacts {
  readonly columns: ReadonlyMap<string, Facts>
  /** Keys of the conditions that stand on their own. */
  readonly asked: ReadonlySet<string>
}

/** Conditions that stand on their own in a conjunction. */
function* conjuncts(conditions: readonly Predicate[]): Generator<Predicate> {
  for (const condition of conditions) {
    if (condition.kind === 'and') yield* conjuncts(condition.parts)
    else yield condition
  }
}

function factsOf(conditions: readonly Predicate[]): AllFacts | undefined {
  const all = new Map<string, Facts>()
  const of = (path: string): Facts => {
    const known = all.get(path)
    if (known !== undefined) return known
    const facts: Facts = { hasNoNull: false, isNull: false, values: undefined, tests: [] }
    all.set(path, facts)
    return facts
  }
  const asked = new Set<string>()
  for (const condition of conjuncts(conditions)) {
    if (asked.has(keyOf(complement(condition)))) return undefined
    asked.add(keyOf(condition))
    if (condition.kind === 'null') of(condition.path).isNull = true
    else if (condition.kind === 'not_null') of(condition.path).hasNoNull = true
    else if (condition.kind === 'test') {
      const facts = of(condition.path)
      facts.tests.push(condition.test)
      if (!condition.orNull) facts.hasNoNull = true
    }
  }
  for (const facts of all.values()) {
    if (facts.isNull && facts.hasNoNull) return undefined
    if (facts.isNull) continue
    facts.values = remaining(facts.tests)
    const isImpossible = facts.values === undefined ? isEmptyRange(facts.tests) : facts.values.length === 0
    if (!isImpossible) continue
    // Nothing but a null can be meant.
    if (facts.hasNoNull) return undefined
    facts.isNull = true
  }
  return { columns: all, asked }
}

/** Values that pass every test, where one test names them; where the rules would fail a value stays. */
function remaining(tests: readonly Test[]): readonly Value[] | undefined {
  let values: readonly Value[] | undefined
  for (const test of tests) {
    if (values !== undefined) break
    if (test.op === 'eq') values = [test.value]
    else if (test.op === 'in') values = test.values
  }
  return values?.filter((value) => tests.every((test) => passes(test, value) !== false))
}

type Bound = { readonly value: Value; readonly isOpen: boolean }

function isEmptyRange(tests: readonly Test[]): boolean {
  const lows = boundsOf(tests, 'gt', 'ge')
  const highs = boundsOf(tests, 'lt', 'le')
  return lows.some((low) => highs.some((high) => isBeyond(low, high)))
}

function boundsOf(tests: readonly Test[], open: Test['op'], closed: Test['op']): readonly Bound[] {
  return tests.flatMap((test) =>
    (test.op === open || test.op === closed) && 'value' in test
      ? [{ value: test.value, isOpen: test.op === open }]
      : [],
  )
}

function isBeyond(low: Bound, high: Bound): boolean {
  if (!areOrdered(low.value, high.value)) return false
  if ((low.value as number) > (high.value as number)) return true
  // oxlint-disable-next-line eqeqeq -- a number and an integer of another representation
  return low.value == high.value && (low.isOpen || high.isOpen)
}

/** A condition with what the facts of its path say already left out. */
function reduced(condition: Predicate, facts: AllFacts, told: Set<string>): Predicate {
  switch (condition.kind) {
    case 'and':
      return and(condition.parts.map((part) => reduced(part, facts, told)))
    case 'or':
      return or(condition.parts.map((part) => within(part, facts)))
    case 'not_null': {
      const known = facts.columns.get(condition.path) as Facts
      return known.tests.length > 0 ? { kind: 'always' } : once(condition, told)
    }
    case 'null':
      return once(condition, told)
    case 'test':
      return reducedTest(condition, facts.columns.get(condition.path) as Facts, told)
    default:
      return condition
  }
}

function once(condition: Predicate, told: Set<string>): Predicate {
  const key = keyOf(condition)
  if (told.has(key)) return { kind: 'always' }
  told.add(key)
  return condition
}

function reducedTest(condition: Predicate & { kind: 'test' }, facts: Facts, told: Set<string>): Predicate {
  const { path, test } = condition
  if (facts.isNull) return once({ kind: 'null', path }, told)
  const orNull = condition.orNull && !facts.hasNoNull
  if (facts.values !== undefined) {
    const [only] = facts.values
    const values: Test =
      facts.values.length === 1 && isNamed(facts.tests)
        ? { op: 'eq', value: only as Value }
        : { op: 'in', values: facts.values }
    return once({ kind: 'test', path, test: values, orNull: !facts.hasNoNull }, told)
  }
  if (facts.tests.some((other) => other !== test && implies(other, test, facts.tests))) return { kind: 'always' }
  return once({ kind: 'test', path, test, orNull }, told)
}

/** Whether some test names its one value with `=`. */
function isNamed(tests: readonly Test[]): boolean {
  return tests.some(({ op }) => op === 'eq')
}

/** Whether what passes one test passes the other. Of two that say the same the later one goes. */
function implies(one: Test, other: Test, all: readonly Test[]): boolean {
  if (!('value' in one) || !('value' in other) || !areOrdered(one.value, other.value)) return false
  if (other.op === 'ne') return isRange(one) && passes(one, other.value) === false
  if (!isRange(one) || !isRange(other) || isLow(one) !== isLow(other)) return false
  // oxlint-disable-next-line eqeqeq -- a number and an integer of another representation
  if (one.value == other.value) return one.op === other.op ? all.indexOf(one) < all.indexOf(other) : isOpen(one)
  return isLow(one) === (one.value as number) > (other.value as number)
}

function isRange({ op }: Test): boolean {
  return op === 'lt' || op === 'le' || op === 'gt' || op === 'ge'
}

function isLow({ op }: Test): boolean {
  return op === 'gt' || op === 'ge'
}

function isOpen({ op }: Test): boolean {
  return op === 'gt' || op === 'lt'
}

/** A part of an alternative: what the path rules out is no alternative, what it says anyway is always one. */
function within(condition: Predicate, facts: AllFacts): Predicate {
  if (facts.asked.has(keyOf(condition))) return { kind: 'always' }
  if (facts.asked.has(keyOf(complement(condition)))) return NEVER
  switch (condition.kind) {
    case 'and':
      return and(condition.parts.map((part) => within(part, facts)))
    case 'or':
      return or(condition.parts.map((part) => within(part, facts)))
    case 'null': {
      const known = facts.columns.get(condition.path)
      if (known?.hasNoNull === true) return NEVER
      return known?.isNull === true ? { kind: 'always' } : condition
    }
    case 'not_null': {
      const known = facts.columns.get(condition.path)
      if (known?.isNull === true) return NEVER
      return known?.hasNoNull === true ? { kind: 'always' } : condition
    }
    case 'test': {
      const known = facts.columns.get(condition.path)
      if (known === undefined) return condition
      if (known.isNull) return { kind: condition.orNull ? 'always' : 'never' }
      const { values } = known
      const orNull = condition.orNull && !known.hasNoNull
      if (values === undefined) return { ...condition, orNull }
      const passing = values.map((value) => passes(condition.test, value))
      if (passing.every((isPassing) => isPassing === false) && !orNull) return NEVER
      if (passing.every((isPassing) => isPassing === true) && (known.hasNoNull || condition.orNull))
        return { kind: 'always' }
      return { ...condition, orNull }
    }
    default:
      return condition
  }
}
