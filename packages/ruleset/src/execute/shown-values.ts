import {
  type Budget,
  BudgetError,
  type Environment,
  type Expression,
  interpret,
  LENIENT,
  measureJson,
  printPath,
  type Value,
  walk,
} from '@engine/expression/core'

/** Displays values of an execution, up to a total number of JSON characters. */
export class ShownValues {
  readonly #budget: Budget
  #left: number
  readonly #omitted: Value | undefined

  /** @param omitted replaces a value that does not fit; undefined omits the value */
  constructor(budget: Budget, characters: number, omitted?: Value) {
    this.#budget = budget
    this.#left = characters
    this.#omitted = omitted
  }

  /** True once a value was omitted. */
  isTruncated = false

  /** The value if it fits, otherwise its replacement. Costs at most the remaining space. */
  shown(value: Value): Value | undefined {
    try {
      const size = measureJson(this.#budget, value, this.#left) ?? 0
      if (size > this.#left) return this.#omit()
      this.#left -= size
      return value
    } catch (error) {
      // The execution itself fails if it continues.
      if (error instanceof BudgetError) return this.#omit()
      throw error
    }
  }

  #omit(): Value | undefined {
    this.isTruncated = true
    return this.#omitted
  }
}

/** Every field and variable in an expression by its text, with its value; null when missing. */
export function valuesIn(expression: Expression, environment: Environment): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>()
  walk(expression, (node) => {
    if (node.kind !== 'field' && node.kind !== 'variable') return
    const path = printPath(node)
    if (!found.has(path)) found.set(path, interpret(node, { ...environment, policy: LENIENT }))
  })
  return found
}
