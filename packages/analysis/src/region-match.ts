import { type Expression, isBinaryOf, LENIENT, type Numbers, parse, type Value } from '@engine/expression'
import { evaluate, HOLDS, truthOf } from './formula/evaluate.ts'

/** Assigns inputs to the regions of a comparison by their conditions. */
export class RegionMatch {
  /** By region: the alternatives of its condition. */
  readonly #conditions: readonly (readonly Expression[])[]
  readonly #numbers: Numbers

  /**
   * @param conditions those of the regions; a text that does not parse matches nothing
   * @param numbers those of the rulesets
   */
  constructor(conditions: readonly string[], numbers: Numbers = 'double') {
    this.#numbers = numbers
    this.#conditions = conditions.map((text) => {
      const parsed = parse(text, [], numbers)
      return parsed.kind === 'parsed' ? alternativesOf(parsed.expression) : []
    })
  }

  /**
   * The index of the first region whose condition holds; undefined: none does. An alternative that fails does not hold. Costs one
   * evaluation for each alternative.
   */
  regionOf(input: Value, now = 0): number | undefined {
    const policy = { ...LENIENT, numbers: this.#numbers }
    const index = this.#conditions.findIndex((alternatives) =>
      alternatives.some((one) => truthOf(evaluate(one, policy, input, undefined, now)) === HOLDS),
    )
    return index === -1 ? undefined : index
  }
}

/** The parts between the outermost `||`. */
function alternativesOf(condition: Expression): readonly Expression[] {
  const found: Expression[] = []
  const pending = [condition]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (isBinaryOf('logic', next) && next.operator === '||') pending.push(next.right, next.left)
    else found.push(next)
  }
  return found
}
