import { isNumber, orderOf, print } from '@engine/expression'
import type { DecisionStep, Ruleset } from '@engine/ruleset'
import { diff } from '../diff.ts'
import { placeOf } from '../place.ts'
import type { Witness } from '../verdict.ts'
import { type Callees, NO_CALLEES } from '../witness/callees.ts'
import { CaseAnswers, type CaseStubs } from '../witness/case-answers.ts'
import { areSame, claims, type ConditionWatch, Follower, type Side } from '../witness/trail.ts'
import { type AtomValues, atomsOf, evaluateAtoms, showsEffect, type Threshold, thresholdOf } from './atoms.ts'
import { type Mutant, mutantsOf } from './mutants.ts'

/** A test of a suite: its input. */
export interface SuiteCase {
  readonly input: Witness['input']
  /** Epoch milliseconds of `now()`. */
  readonly now?: number
  /** The answers of external calls by `service.method`, or `{error}` of a call that fails. */
  readonly stubs?: CaseStubs
}

/** Parts that a suite covers, and those that it does not. */
export interface Covered {
  readonly covered: number
  readonly total: number
  readonly missing: readonly { readonly place: string; readonly what: string }[]
}

/** A changed ruleset that decides every case of the suite like the right one. */
export interface Survivor {
  readonly place: string
  /** The changed part of the condition. */
  readonly change: string
  /** An input that the change decides otherwise: a missing test. Absent: none was found. */
  readonly witness?: Witness
}

export interface Mutants {
  readonly total: number
  readonly killed: number
  /** Proved to decide every input like the right ruleset: they count in no score. */
  readonly equivalent: number
  readonly survivors: readonly Survivor[]
  /** Not all mutants were tried. */
  readonly truncated: boolean
}

/** How thoroughly a suite tests a ruleset. */
export interface SuiteMeasures {
  readonly cases: number
  /** Cases that call a ruleset that is not known: they are followed up to that call. */
  readonly cut: number
  /** Branches and defaults that are taken. */
  readonly branches: Covered
  /** Modified condition/decision coverage: atoms that are shown to change the outcome by themselves. */
  readonly conditions: Covered
  /** For each comparison with a number: a value below it, equal to it and above it. */
  readonly boundaries: Covered
  readonly mutants: Mutants
}

export interface MeasureOptions {
  /** Mutants that are tried. Default 2000. */
  readonly maxMutants?: number
  /** Work of all searches for inputs that surviving mutants decide otherwise, in assignments. Default 60 million. */
  readonly budget?: number
  /** The rulesets that are called, by name, with those that they call. A case that needs another one is cut. */
  readonly callees?: Callees
}

const MAX_MUTANTS = 2000
const DEFAULT_BUDGET = 60_000_000
/** Work of one such search. */
const MUTANT_BUDGET = 2_000_000

interface Evaluation {
  readonly outcome: boolean
  readonly values: AtomValues
}

/**
 * Measures a suite by executing its cases: their expectations do not count. Linear in cases times path length, plus one execution
 * for each mutant and each case that evaluates the mutated condition.
 */
export function measureSuite(
  ruleset: Ruleset,
  cases: readonly SuiteCase[],
  { maxMutants = MAX_MUTANTS, budget = DEFAULT_BUDGET, callees = NO_CALLEES }: MeasureOptions = {},
): SuiteMeasures {
  const decisions = [...ruleset.steps.values()].filter((step) => step.type === 'decision')
  const measuring = new Measuring(ruleset, decisions, callees)
  const sides = cases.map((one, index) => measuring.follow(one, index))
  return {
    cases: cases.length,
    cut: sides.filter((side) => side === undefined).length,
    ...measuring.coverage(),
    mutants: tryMutants(ruleset, { cases, sides, measuring, maxMutants, budget, callees }),
  }
}

/** Conditions, branches and values that the cases of a suite evaluate. */
class Measuring {
  readonly #decisions: readonly DecisionStep[]
  readonly #follower: Follower
  readonly #seen = new Set<string>()
  /** By the conditions, each once by the values of its atoms. */
  readonly #evaluations = new Map<string, Map<string, Evaluation>>()
  /** Cases by the conditions that they evaluate. */
  readonly #casesAt = new Map<string, Set<number>>()
  readonly #points = new Set<string>()

  constructor(ruleset: Ruleset, decisions: readonly DecisionStep[], callees: Callees) {
    this.#decisions = decisions
    this.#follower = new Follower(ruleset, { callees })
  }

  follow({ input, now, stubs = {} }: SuiteCase, index: number): Side | undefined {
    const watch: ConditionWatch = (id, branch, condition, evaluate) => {
      const place = placeOf(id, branch)
      this.#casesAt.set(place, (this.#casesAt.get(place) ?? new Set()).add(index))
      const evaluation = evaluateAtoms(condition, (atom) => {
        const threshold = thresholdOf(atom)
        if (threshold !== undefined) {
          const found = evaluate(threshold.operand)
          if ('value' in found && isNumber(found.value))
            this.#points.add(`${place} ${print(atom)} ${orderOf(found.value, threshold.constant)}`)
        }
        return evaluate(atom)
      })
      if (evaluation === undefined) return
      const known = this.#evaluations.get(place) ?? new Map()
      this.#evaluations.set(place, known.set([...evaluation.values].join(' '), evaluation))
    }
    const { seen, side } = this.#follower.follow(input, now, watch, new CaseAnswers(stubs))
    for (const key of seen) this.#seen.add(key)
    return side
  }

  casesAt(place: string): Iterable<number> {
    return this.#casesAt.get(place) ?? []
  }

  coverage(): Pick<SuiteMeasures, 'branches' | 'conditions' | 'boundaries'> {
    const branches = new Tally()
    const conditions = new Tally()
    const boundaries = new Tally()
    for (const { id, branches: all, defaultNext } of this.#decisions) {
      for (const [index, { condition }] of all.entries()) {
        const place = placeOf(id, index)
        branches.add(place, 'never taken', this.#seen.has(claims.taken(id, index)))
        const evaluations = [...(this.#evaluations.get(place)?.values() ?? [])]
        const atoms = atomsOf(condition)
        for (const [position, atom] of atoms.entries()) {
          const isShown = evaluations.some((one) => evaluations.some((other) => showsEffect(position, one, other)))
          conditions.add(place, print(atom), isShown)
        }
        const thresholds = new Map(
          atoms.flatMap((atom): readonly (readonly [string, Threshold])[] => {
            const threshold = thresholdOf(atom)
            return threshold === undefined ? [] : [[print(atom), threshold]]
          }),
        )
        for (const [text, { operand, constant }] of thresholds)
          for (const [order, relation] of POINTS)
            boundaries.add(
              place,
              `${print(operand)} ${relation} ${constant}`,
              this.#points.has(`${place} ${text} ${order}`),
            )
      }
      if (defaultNext !== undefined)
        branches.add(placeOf(id), 'the default is never taken', this.#seen.has(claims.default(id)))
    }
    return { branches: branches.covered(), conditions: conditions.covered(), boundaries: boundaries.covered() }
  }
}

const POINTS = [
  [-1, '<'],
  [0, '=='],
  [1, '>'],
] as const

class Tally {
  readonly #missing: { readonly place: string; readonly what: string }[] = []
  #total = 0

  add(place: string, what: string, isCovered: boolean): void {
    this.#total++
    if (!isCovered) this.#missing.push({ place, what })
  }

  covered(): Covered {
    return { covered: this.#total - this.#missing.length, total: this.#total, missing: this.#missing }
  }
}

interface Suite {
  readonly cases: readonly SuiteCase[]
  readonly sides: readonly (Side | undefined)[]
  readonly measuring: Measuring
  readonly maxMutants: number
  readonly budget: number
  readonly callees: Callees
}

function tryMutants(ruleset: Ruleset, { cases, sides, measuring, maxMutants, budget, callees }: Suite): Mutants {
  let [total, killed, equivalent] = [0, 0, 0]
  let left = budget
  const survivors: Survivor[] = []
  for (const mutant of mutantsOf(ruleset)) {
    if (total === maxMutants) return { total, killed, equivalent, survivors, truncated: true }
    total++
    const place = placeOf(mutant.step, mutant.branch)
    if (isKilled(mutant, measuring.casesAt(place), { cases, sides, callees })) {
      killed++
      continue
    }
    const { change } = mutant
    if (left <= 0) {
      survivors.push({ place, change })
      continue
    }
    left -= MUTANT_BUDGET
    const { verdict, regions } = diff(ruleset, mutant.ruleset, { budget: MUTANT_BUDGET, callees })
    if (verdict === 'equivalent') equivalent++
    else survivors.push({ place, change, ...(regions[0] && { witness: regions[0].witness }) })
  }
  return { total, killed, equivalent, survivors, truncated: false }
}

function isKilled(
  { ruleset }: Mutant,
  reached: Iterable<number>,
  { cases, sides, callees }: Pick<Suite, 'cases' | 'sides' | 'callees'>,
): boolean {
  const follower = new Follower(ruleset, { callees })
  for (const index of reached) {
    const one = cases[index]
    const before = sides[index]
    if (one === undefined || before === undefined) continue
    const after = follower.follow(one.input, one.now, undefined, new CaseAnswers(one.stubs ?? {})).side
    if (after === undefined || !areSame(before, after)) return true
  }
  return false
}
