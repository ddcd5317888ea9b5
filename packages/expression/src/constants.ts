import type { Value } from './value.ts'

/**
 * The values that a piece of generated code refers to by name (`k0`, `k1`, …). Everything that a user wrote travels
 * here and never in the text of the code, so there is nothing to escape and nothing to escape from (threat E2).
 */
export class Constants {
  /** `k0`, `k1`, … in the order of `values`. */
  readonly names: string[] = []
  readonly values: unknown[] = []
  readonly #known = new Map<unknown, string>()

  /**
   * The name of a constant; the same value always has the same name. Arrays and objects are told apart by identity
   * and are not frozen here: see `freeze`.
   */
  add(value: unknown): string {
    const constant = typeof value === 'string' ? internalize(value) : value
    // A Map takes 0 and -0 for the same key; as constants they are not the same.
    const key = Object.is(constant, -0) ? NEGATIVE_ZERO : constant
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const name = `k${this.names.length}`
    this.names.push(name)
    this.values.push(constant)
    this.#known.set(key, name)
    return name
  }

  /**
   * JavaScript declarations of all constants, read from the array `values` under the given identifier. To be preferred
   * over one parameter a constant: a function takes at most 65,535 of those, and V8 folds the value of a `const` into
   * optimised code, which makes `input[k3]` as fast as `input.name`.
   */
  declarations(parameter: string): string {
    if (this.names.length === 0) return ''
    return `const ${this.names.map((name, index) => `${name} = ${parameter}[${index}]`).join(', ')}\n`
  }
}

const NEGATIVE_ZERO = Symbol('-0')

/**
 * The same text as V8 keeps property names: one shared string. Keyed loads and `===` with such a string are a
 * comparison of pointers; with a slice of the source text they would be a look-up each time.
 */
function internalize(text: string): string {
  return Object.keys({ [text]: 0 })[0] as string
}

/** Freeze a value and all within it, so that a constant can be shared by all executions. Gives the value back. */
export function freeze(value: Value): Value {
  const pending: Value[] = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const inner of Object.values(next)) pending.push(inner)
  }
  return value
}
