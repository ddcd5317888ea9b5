import type { EvaluationPolicy, Expression } from '@engine/expression'
import { type DecisionStep, evaluationPolicy, type Ruleset } from '@engine/ruleset'
import { Analysis, type AnalyzeOptions, type Memory, type Proofs } from './analyze.ts'
import { canonicalText } from './formula/canonical-text.ts'
import { evaluate, FAILS, HOLDS, truthOf } from './formula/evaluate.ts'
import { variablesOf } from './graph/substitution.ts'
import type { ShownInput } from './question.ts'
import { isEqual, sharing } from './sharing.ts'
import type { Report, Witness } from './verdict.ts'
import { claims } from './witness/trail.ts'

/** The analysis of a ruleset that is being edited. */
export interface Session {
  /** Report of the last version. */
  readonly report: Report
  /** How much is kept for the next version. */
  kept(): Kept
  /** An input that takes a branch of a decision, or its default; undefined: none was seen. */
  inputFor(step: string, branch?: number): Witness | undefined
  /** Analyses the next version: with the inputs, formulas and learned clauses of the last one. */
  update(ruleset: Ruleset): Report
}

/** Sizes of everything that is kept for the next version. */
interface Kept {
  /** Variables of the formulas, and entries of their clauses. */
  readonly formulas: number
  readonly proofs: number
  readonly inputs: number
}

/** Formulas of old versions take memory. They are dropped beyond this multiple of their first size, and some more if they are few. */
const MAX_GROWTH = 2
const MORE_FORMULAS = 20_000
/** Edited conditions for which inputs are examined one by one; with more, all inputs are executed again. */
const MAX_EDITS = 32

export function createSession(ruleset: Ruleset, options: AnalyzeOptions = {}): Session {
  let proofs: Proofs = new Map()
  let analysis = new Analysis(ruleset, options, undefined, proofs)
  let last = ruleset
  let report = analysis.report()
  const kept = (): Kept => {
    const { encoder, inputs } = analysis.memory()
    return { formulas: encoder.solver.size, proofs: proofs.size, inputs: inputs.length }
  }
  let first = kept().formulas
  return {
    get report() {
      return report
    },
    kept,
    inputFor: (step, branch) =>
      analysis.shownBy(branch === undefined ? claims.default(step) : claims.taken(step, branch)),
    update(given) {
      const next = sharing(last, given)
      const isLarge = kept().formulas > MAX_GROWTH * first + MORE_FORMULAS
      const memory = isLarge ? undefined : memoryFor(last, next, analysis)
      const seeds = [...(options.seeds ?? [])]
      if (memory === undefined) {
        seeds.push(...analysis.shown().map(({ input }) => input))
        proofs = new Map()
      }
      analysis = new Analysis(next, { ...options, seeds }, memory, proofs)
      last = next
      report = analysis.report()
      if (memory === undefined) first = kept().formulas
      return report
    },
  }
}

/** The part of an analysis that is valid for the next version; undefined: none. */
function memoryFor(before: Ruleset, after: Ruleset, analysis: Analysis): Memory | undefined {
  if (!isEqual(before.config.contract, after.config.contract) || before.config.numbers !== after.config.numbers)
    return undefined
  const { encoder, inputs } = analysis.memory()
  const edits = editsBetween(before, after)
  const policy = evaluationPolicy(after)
  const isRecalled = (one: ShownInput) => edits?.every((edit) => isUntouched(one, edit, policy)) === true
  const found = Map.groupBy(inputs, isRecalled)
  // The calls of the next version may have other parameters.
  const again = found.get(false)?.map(({ candidate }) => ({ ...candidate }))
  return { encoder, recalled: found.get(true) ?? [], again: again ?? [] }
}

/** A changed condition. */
interface Edit {
  readonly step: string
  readonly branch: number
  readonly condition: Expression
}

/** The changed conditions of two versions that share their equal parts; undefined: more differs. */
function editsBetween(before: Ruleset, after: Ruleset): readonly Edit[] | undefined {
  if (before.steps.size !== after.steps.size || !isEqual(withoutContract(before), withoutContract(after)))
    return undefined
  const edits: Edit[] = []
  for (const [id, step] of after.steps) {
    const old = before.steps.get(id)
    if (old === step) continue
    if (old?.type !== 'decision' || step.type !== 'decision') return undefined
    if (!isEqual(withoutConditions(old), withoutConditions(step))) return undefined
    for (const [branch, { condition }] of step.branches.entries()) {
      const previous = old.branches[branch]?.condition
      if (previous === undefined || previous === condition) continue
      if (canonicalText(previous) !== canonicalText(condition)) edits.push({ step: id, branch, condition })
    }
    if (edits.length > MAX_EDITS) return undefined
  }
  return edits
}

const withoutContract = ({ config }: Ruleset) => ({ ...config, contract: undefined })

const withoutConditions = ({ branches, ...rest }: DecisionStep) => ({
  ...rest,
  branches: branches.map(({ nextStep, actions }) => ({ nextStep, actions })),
})

/** Whether the execution of an input is the same after an edit: it does not come to the condition, or the outcome is the same. */
function isUntouched({ candidate, trail: { seen } }: ShownInput, edit: Edit, policy: EvaluationPolicy): boolean {
  const { step, branch, condition } = edit
  const entered = claims.step(step)
  if (!seen.includes(entered)) return true
  // In a loop the condition is evaluated several times.
  if (seen.indexOf(entered) !== seen.lastIndexOf(entered) || variablesOf(condition).size > 0) return false
  const end = endAt(step, seen)
  if (end.branch < branch) return true
  const outcome = truthOf(evaluate(condition, policy, candidate.input, new Map(), candidate.now))
  return outcome === (end.branch === branch ? end.outcome : FAILS)
}

/** The last condition of a step that was evaluated, and its outcome; after all of them: infinity. */
function endAt(step: string, seen: readonly string[]): { readonly branch: number; readonly outcome: string } {
  const next = seen[seen.indexOf(claims.step(step)) + 1] ?? ''
  if (next === claims.default(step) || next === claims.gap(step)) return { branch: Infinity, outcome: FAILS }
  // Of `taken` or `fails`, which are equally long.
  const [, branch, outcome = HOLDS] = /^(\d+)(?: condition (.+))?$/.exec(next.slice(`taken ${step} `.length)) ?? []
  return { branch: Number(branch), outcome }
}
