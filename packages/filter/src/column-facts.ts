import { type Budget, isNumber, type Value } from '@engine/expression'
import { isOrder } from './operations.ts'
import { keyOf, keysOf, passes, type Test } from './predicate.ts'

type Range = Test & { readonly op: 'lt' | 'le' | 'gt' | 'ge'; readonly value: Value }

/** The tightest bounds that the tests of a path set for values of one type. */
interface Bounds {
  low?: Range
  high?: Range
}

/** The combined effect of all conditions of a path on its column. Linear in the number of tests. */
export class ColumnFacts {
  /** Some condition excludes null. */
  hasNoNull = false
  isNull = false
  /** Some condition fixes the value with `=`. */
  isNamed = false
  /** True once the remaining values were written. */
  isTold = false
  /** The remaining values, by key, when a condition lists them. */
  #values: ReadonlyMap<string, Value> | undefined
  #tests = 0
  /** The first test that lists values: they are collected once a second one needs them. */
  #first: Test | undefined
  readonly #budget: Budget
  readonly #excluded = new Set<string>()
  readonly #numbers: Bounds = {}
  readonly #texts: Bounds = {}
  /** Tests for a substring. */
  readonly #parts: Test[] = []

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Some condition tests the value. */
  get isTested(): boolean {
    return this.#tests > 0
  }

  /** A single condition tests the value. */
  get isOnly(): boolean {
    return this.#tests === 1
  }

  /** The remaining values, by key, when a condition lists them. */
  get values(): ReadonlyMap<string, Value> | undefined {
    if (this.#values === undefined && this.#first !== undefined) {
      const { op } = this.#first
      if ('values' in this.#first) this.#values = new Map(this.#first.values.map((value) => [keyOf(value), value]))
      else if (op === 'eq') this.#values = new Map([[keyOf(this.#first.value), this.#first.value]])
    }
    return this.#values
  }

  add(test: Test): void {
    this.#tests++
    this.#budget.spend('values' in test ? 4 * test.values.length : 4)
    switch (test.op) {
      case 'eq':
        this.isNamed = true
        return this.#name(test)
      case 'in':
        return this.#name(test)
      case 'ne':
        this.#excluded.add(keyOf(test.value))
        return
      case 'not_in':
        for (const key of keysOf(test)) this.#excluded.add(key)
        return
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        return this.#bound({ op: test.op, value: test.value })
      default:
        this.#parts.push(test)
    }
  }

  /** After the last test: remove values that fail; false when none remains. */
  settle(): boolean {
    if (this.isOnly) return true
    const { values } = this
    if (values === undefined) return !isEmpty(this.#numbers) && !isEmpty(this.#texts)
    const tests = [...this.#parts, ...bounds(this.#numbers), ...bounds(this.#texts)]
    this.#budget.spend(values.size * (1 + 4 * tests.length))
    this.#values = new Map(
      [...values].filter(
        // A value for which the rules would fail remains.
        ([key, value]) => !this.#excluded.has(key) && tests.every((test) => passes(test, value) !== false),
      ),
    )
    return this.#values.size > 0
  }

  /** Whether another test of the column implies this one, for columns whose values are not listed. */
  implies(test: Test): boolean {
    if (test.op === 'ne')
      return [...bounds(this.#numbers), ...bounds(this.#texts)].some((bound) => passes(bound, test.value) === false)
    if (!isRange(test)) return false
    const { low, high } = this.#boundsOf(test)
    const narrowest = isLow(test) ? low : high
    return narrowest !== undefined && isNarrower(narrowest, test)
  }

  /** Whether every remaining value passes a test, or none does; undefined: some may. */
  decides(test: Test): boolean | undefined {
    const { values } = this
    if (values === undefined) return undefined
    const { size } = values
    if (test.op === 'eq' || test.op === 'ne') {
      const found = values.has(keyOf(test.value)) ? 1 : 0
      return decided(test.op === 'eq' ? found : size - found, size)
    }
    if (test.op === 'in' || test.op === 'not_in') {
      let found = 0
      for (const key of keysOf(test)) if (values.has(key)) found++
      this.#budget.spend(2 * test.values.length)
      return decided(test.op === 'in' ? found : size - found, size)
    }
    this.#budget.spend(4 * size)
    let [passing, failing] = [0, 0]
    for (const value of values.values()) {
      const isPassing = passes(test, value)
      if (isPassing === true) passing++
      if (isPassing === false) failing++
    }
    return passing === size ? true : failing === size ? false : undefined
  }

  #name(test: Test): void {
    if (this.#first === undefined) this.#first = test
    else this.#values = intersection(this.values ?? new Map(), test)
  }

  #bound(test: Range): void {
    const found = this.#boundsOf(test)
    const side = isLow(test) ? 'low' : 'high'
    const known = found[side]
    if (known === undefined || isNarrower(test, known)) found[side] = test
  }

  #boundsOf(test: Range): Bounds {
    return isNumber(test.value) ? this.#numbers : this.#texts
  }
}

function intersection(values: ReadonlyMap<string, Value>, test: Test): ReadonlyMap<string, Value> {
  const keys = 'values' in test ? keysOf(test) : new Set([keyOf(test.value)])
  return new Map([...values].filter(([key]) => keys.has(key)))
}

function decided(passing: number, size: number): boolean | undefined {
  return passing === size ? true : passing === 0 ? false : undefined
}

function bounds({ low, high }: Bounds): readonly Range[] {
  return [low, high].filter((bound) => bound !== undefined)
}

function isEmpty({ low, high }: Bounds): boolean {
  if (low === undefined || high === undefined) return false
  if ((low.value as number) > (high.value as number)) return true
  return isSame(low, high) && (isOpen(low) || isOpen(high))
}

/** Whether one bound is tighter than another on the same side. */
function isNarrower(one: Range, other: Range): boolean {
  if (isSame(one, other)) return isOpen(one) && !isOpen(other)
  return isLow(one) === (one.value as number) > (other.value as number)
}

function isSame(one: Range, other: Range): boolean {
  return keyOf(one.value) === keyOf(other.value)
}

function isRange(test: Test): test is Range {
  return isOrder(test.op)
}

function isLow({ op }: Range): boolean {
  return op === 'gt' || op === 'ge'
}

function isOpen({ op }: Range): boolean {
  return op === 'gt' || op === 'lt'
}
