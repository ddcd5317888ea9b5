import type { Budget } from '@engine/expression'
import type { Condition } from './to-predicate.ts'

/**
 * The outcome of a row from a step on: a target, not a target, or a choice by conditions tried in order. Equal outcomes
 * are the same object, so that paths that merge again are recognised.
 */
export type Outcome = End | Choice

interface End {
  readonly kind: 'target' | 'elsewhere'
  readonly number: number
}

/** Conditions tried in order; the first that holds decides. */
export interface Choice {
  readonly kind: 'choice'
  readonly number: number
  readonly entries: readonly Entry[]
  readonly otherwise: Outcome
}

export interface Entry {
  readonly condition: Condition
  /** Widened: the condition is unknown, so every row may pass or fail. */
  readonly isWide: boolean
  readonly outcome: Outcome
}

/** Interns outcomes. */
export class Outcomes {
  readonly target: Outcome = { kind: 'target', number: 0 }
  readonly elsewhere: Outcome = { kind: 'elsewhere', number: 1 }
  readonly #budget: Budget
  readonly #made = new Map<string, Outcome>()

  constructor(budget: Budget) {
    this.#budget = budget
  }

  choice(given: readonly Entry[], otherwise: Outcome): Outcome {
    const entries = [...given]
    while (entries.at(-1)?.outcome === otherwise && entries.at(-1)?.condition.canFail === false) entries.pop()
    if (entries.length === 0) return otherwise
    const parts = entries.map(
      ({ condition: { holds, fails, canFail }, isWide, outcome }) =>
        `${outcome.number} ${isWide} ${canFail} ${holds.id} ${fails.id}`,
    )
    const key = `${otherwise.number};${parts.join(';')}`
    const known = this.#made.get(key)
    this.#budget.create(2 * key.length)
    if (known !== undefined) return known
    const made: Outcome = { kind: 'choice', number: this.#made.size + 2, entries, otherwise }
    this.#made.set(key, made)
    return made
  }
}
