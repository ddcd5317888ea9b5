import type { Condition } from './condition.ts'
import { either } from './condition.ts'
import { keyOf } from './predicate.ts'

/**
 * What becomes of a row from a step on: it ends in a target, or elsewhere, or that depends on conditions tried in order.
 * Equal outcomes are one object, so that ways that meet again are seen to be the same.
 */
export type Outcome =
  | { readonly kind: 'target' | 'elsewhere'; readonly number: number }
  | {
      readonly kind: 'choice'
      readonly number: number
      readonly entries: readonly Entry[]
      readonly otherwise: Outcome
    }

export interface Entry {
  readonly condition: Condition
  /** Widened: nothing is known of the condition, every row may pass and every row may not. */
  readonly isWide: boolean
  readonly outcome: Outcome
}

/** Makes outcomes, each once. */
export class Outcomes {
  readonly target: Outcome = { kind: 'target', number: 0 }
  readonly elsewhere: Outcome = { kind: 'elsewhere', number: 1 }
  readonly #made = new Map<string, Outcome>()

  /** Conditions tried in order; the first that holds decides. */
  choice(given: readonly Entry[], otherwise: Outcome): Outcome {
    const entries = this.#merged(given)
    while (entries.at(-1)?.outcome === otherwise && entries.at(-1)?.condition.canFail === false) entries.pop()
    if (entries.length === 0) return otherwise
    const key = `${otherwise.number};${entries
      .map(
        ({ condition, isWide, outcome }) =>
          `${outcome.number},${isWide},${keyOf(condition.holds)},${keyOf(condition.fails)}`,
      )
      .join(';')}`
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const made: Outcome = { kind: 'choice', number: this.#made.size + 2, entries, otherwise }
    this.#made.set(key, made)
    return made
  }

  /** Neighbours that lead to the same are one: `A or B`. Those that lead away are only said not to hold, one by one. */
  #merged(given: readonly Entry[]): Entry[] {
    const entries: Entry[] = []
    for (const entry of given) {
      const last = entries.at(-1)
      const isSame = last?.outcome === entry.outcome && entry.outcome !== this.elsewhere
      if (last === undefined || !isSame || last.isWide || entry.isWide) entries.push(entry)
      else entries[entries.length - 1] = { ...entry, condition: either(last.condition, entry.condition) }
    }
    return entries
  }
}
