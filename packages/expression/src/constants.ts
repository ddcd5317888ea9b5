import type { Value } from './value.ts'

/**
 * The values that generated code refers to by name (`k0`, `k1`, …). User text is only ever passed through here and
 * never appears in the text of the code, so there is nothing to escape (threat E2).
 */
export class Constants {
  /** `k0`, `k1`, … in the order of `values`. */
  readonly names: string[] = []
  readonly values: unknown[] = []
  readonly #known = new Map<unknown, string>()

  /**
   * The name of a constant; equal constants share a name. Arrays and objects are compared by identity and are not
   * frozen here: see `freeze`.
   */
  add(value: unknown): string {
    const constant = typeof value === 'string' ? internalize(value) : value
    // A Map treats 0 and -0 as the same key; as constants they differ.
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
   * JavaScript declarations of all constants, read from the array `values` under the given identifier. Better than one
   * parameter per constant: a function takes at most 65,535 parameters, and V8 folds the value of a `const` into
   * optimised code, which makes `input[k3]` as fast as `input.name`.
   */
  declarations(parameter: string): string {
    if (this.names.length === 0) return ''
    return `const ${this.names.map((name, index) => `${name} = ${parameter}[${index}]`).join(', ')}\n`
  }
}

const NEGATIVE_ZERO = Symbol('-0')

/**
 * The same text, interned as V8 interns property names. Keyed loads and `===` on an interned string compare pointers; a
 * slice of the source text would need a hash lookup each time.
 */
function internalize(text: string): string {
  const [key = text] = Object.keys({ [text]: 0 })
  return key
}

/** Deep-freeze a value so that all executions can share the constant. Returns the value. */
export function freeze(value: Value): Value {
  const pending: Value[] = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const inner of Object.values(next)) pending.push(inner)
  }
  return value
}
