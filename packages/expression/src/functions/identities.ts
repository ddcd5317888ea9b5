import type { Call } from '../ast.ts'
import { isDecimal } from '../decimal/decimal.ts'
import { defined } from '../defined.ts'
import { keysOf } from '../members.ts'
import type { Runtime } from '../runtime.ts'
import { isList, type ObjectValue, VALUE_DEPTH, type Value } from '../value.ts'
import { failures } from './failures.ts'

/**
 * A set of values by deep equality, in time linear in their size: a list or object is identified by the numbers of its
 * parts, so equal values get the same number. All work is charged.
 */
export class Identities {
  readonly #runtime: Runtime
  readonly #node: Call
  readonly #scalars = new Map<Value, number>()
  /** Lists and objects by the numbers of their parts. */
  readonly #composites = new Map<string, number>()
  /** The numbers of added values, excluding their parts. */
  readonly #added = new Set<number>()

  constructor(runtime: Runtime, node: Call) {
    this.#runtime = runtime
    this.#node = node
  }

  /** Add a value; true when no equal value was added before. */
  add(value: Value): boolean {
    const number = this.#number(value, 0)
    if (this.#added.has(number)) return false
    this.#added.add(number)
    return true
  }

  /** The number of a value: equal values share it. */
  #number(value: Value, depth: number): number {
    if (typeof value !== 'object' || value === null) return this.#numbered(this.#scalars, scalar(value))
    // Digits begin no text of a list or an object.
    if (isDecimal(value)) return this.#numbered(this.#composites, String(value))
    if (depth >= VALUE_DEPTH) throw failures.nestedTooDeeply(this.#node, VALUE_DEPTH)
    const parts = isList(value) ? this.#items(value, depth) : this.#members(value, depth)
    return this.#numbered(this.#composites, parts)
  }

  #numbered<Key extends Value>(numbers: Map<Key, number>, key: Key): number {
    const { budget } = this.#runtime
    budget.spend(8 + (typeof key === 'string' ? key.length >> 3 : 0))
    const known = numbers.get(key)
    if (known !== undefined) return known
    budget.create(64)
    const fresh = this.#scalars.size + this.#composites.size
    numbers.set(key, fresh)
    return fresh
  }

  #items(items: readonly Value[], depth: number): string {
    let parts = '['
    for (const item of items) parts += `${this.#number(item, depth + 1)},`
    this.#runtime.budget.create(2 * parts.length)
    return parts
  }

  #members(object: ObjectValue, depth: number): string {
    const { budget } = this.#runtime
    const keys = keysOf(object, budget)
    budget.create(8 * keys.length)
    const sorted = keys.toSorted((left, right) => {
      budget.spend(4 + (Math.min(left.length, right.length) >> 2))
      return left < right ? -1 : 1
    })
    let parts = '{'
    for (const key of sorted)
      parts += `${this.#number(key, depth + 1)}:${this.#number(defined(object[key]), depth + 1)},`
    budget.create(2 * parts.length)
    return parts
  }
}

/** A `Map` finds scalars by value, except integers written as doubles: `1e20` and 10^20 are equal. */
function scalar(value: Value): Value {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}
