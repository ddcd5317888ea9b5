import { type EvaluationPolicy, type Expression, isObject, type Value } from '@engine/expression'
import type { InputDomain } from '../formula/domain.ts'
import { Encoder } from '../formula/encoder.ts'
import type { Outcomes } from '../formula/outcomes.ts'
import type { Truth } from '../formula/truth.ts'
import { type Literal, Solver } from '../search/solver.ts'
import type { FurtherSearch } from './further-search.ts'
import { type Candidate, Model } from './model.ts'

/** Assignments for one outcome. */
const MAX_ASSIGNMENTS = 20_000
const MAX_CANDIDATES = 2

/**
 * Finds inputs with an outcome of one condition by itself. The cost does not depend on other conditions, and most rows of a
 * table are taken by such an input; only an execution shows it.
 */
export class LocalSearch {
  readonly #solver = new Solver()
  readonly #model: Model
  readonly #truth: Truth

  constructor(
    condition: Expression,
    policy: EvaluationPolicy,
    domain: InputDomain,
    outcomes: Outcomes,
    further: FurtherSearch | undefined,
  ) {
    const encoder = new Encoder(this.#solver, domain, policy.numbers, outcomes)
    this.#truth = encoder.truth(condition, policy)
    this.#model = new Model(encoder, further)
  }

  /** Assignments made so far. */
  get work(): number {
    return this.#solver.work
  }

  /** @param reaching an input that reaches the step of the condition: those that are found are laid over it */
  candidates(wanted: (truth: Truth) => Literal | undefined, reaching: Candidate | undefined): readonly Candidate[] {
    const outcome = wanted(this.#truth)
    if (outcome === undefined) return []
    this.#model.begin()
    if (this.#solver.solve([outcome], MAX_ASSIGNMENTS, () => this.#model.check()) !== 'satisfiable') return []
    return Array.from(this.#model.candidates(MAX_CANDIDATES), (candidate) => overlaid(reaching, candidate))
  }
}

/** A candidate laid over another, member by member. */
export function overlaid(under: Candidate | undefined, over: Candidate): Candidate {
  if (under === undefined) return over
  return { ...under, ...over, input: merged(under.input, over.input) as Candidate['input'] }
}

function merged(under: Value | undefined, over: Value): Value {
  if (!isObject(under) || !isObject(over)) return over
  const members = new Map(Object.entries(under))
  for (const [name, value] of Object.entries(over)) members.set(name, merged(members.get(name), value))
  return Object.fromEntries(members)
}
