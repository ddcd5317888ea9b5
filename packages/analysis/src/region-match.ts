import { LENIENT, parse, type Expression, type Value } from '@engine/expression'
import { evaluate, HOLDS, truthOf } from './formula/evaluate.ts'

/** Assigns inputs to the regions of a comparison by their conditions. */
export class RegionMatch {
  readonly #conditions: readonly (Expression | undefined)[]

  /** @param conditions those of the regions; a text that does not parse matches nothing */
  constructor(conditions: readonly string[]) {
    this.#conditions = conditions.map((text) => {
      const parsed = parse(text)
      return parsed.kind === 'parsed' ? parsed.expression : undefined
    })
  }

  /** The index of the first region whose condition holds; undefined: none does. Costs one evaluation for each region. */
  regionOf(input: Value, now = 0): number | undefined {
    const index = this.#conditions.findIndex(
      (condition) => condition !== undefined && truthOf(evaluate(condition, LENIENT, input, undefined, now)) === HOLDS,
    )
    return index === -1 ? undefined : index
  }
}
