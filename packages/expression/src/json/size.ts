import type { Budget } from '../budget.ts'
import { isDecimal } from '../decimal/decimal.ts'
import { defined } from '../defined.ts'
import { keysOf } from '../members.ts'
import { isList, type ObjectValue, type Value, VALUE_DEPTH } from '../value.ts'

/** Bytes stored for a character of a text being built. */
const BYTES = 2

/**
 * Lower bound of the length of a value's JSON text: escapes and digits of numbers are not counted. Charges writing and
 * allocating the text. Stops as soon as it exceeds `most`, and returns undefined when the value is nested more than
 * `VALUE_DEPTH` levels deep.
 */
export function measureJson(budget: Budget, value: Value, most: number): number | undefined {
  const measure = new Measure(budget, most)
  if (!measure.visit(value, 0)) return undefined
  if (measure.size <= most) budget.create(measure.size * BYTES)
  return measure.size
}

class Measure {
  size = 0
  readonly #budget: Budget
  readonly #most: number

  constructor(budget: Budget, most: number) {
    this.#budget = budget
    this.#most = most
  }

  /** False: nested too deeply. */
  visit(part: Value, depth: number): boolean {
    if (depth > VALUE_DEPTH) return false
    this.#budget.spend(4)
    switch (typeof part) {
      case 'string':
        this.#add(part.length + 2)
        return true
      case 'bigint':
        // Writing its digits, at most 309.
        this.#budget.spend(40)
        this.#add(17)
        return true
      case 'object':
        if (part === null) break
        if (isDecimal(part)) {
          // Computing its digits, at most 34.
          this.#budget.spend(40)
          this.#add(17)
          return true
        }
        return isList(part) ? this.#list(part, depth) : this.#object(part, depth)
      default:
    }
    this.#add(1)
    return true
  }

  #list(items: readonly Value[], depth: number): boolean {
    this.#add(2)
    for (const item of items) {
      if (this.size > this.#most) return true
      this.#add(1)
      if (!this.visit(item, depth + 1)) return false
    }
    return true
  }

  #object(object: ObjectValue, depth: number): boolean {
    this.#add(2)
    const keys = keysOf(object, this.#budget)
    this.#budget.spend(keys.length)
    for (const key of keys) {
      if (this.size > this.#most) return true
      this.#add(key.length + 4)
      if (!this.visit(defined(object[key]), depth + 1)) return false
    }
    return true
  }

  #add(characters: number): void {
    this.size += characters
    this.#budget.spend(characters >> 2)
  }
}
