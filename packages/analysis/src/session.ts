import { type Expression, type EvaluationPolicy, isDecimal, print, walk } from '@engine/expression'
import { evaluationPolicy, type Ruleset, type Step } from '@engine/ruleset'
import { Analysis, type AnalyzeOptions, type Memory, type Proofs } from './analyze.ts'
import { contractText } from './formula/contract-domain.ts'
import { evaluate, FAILS, HOLDS, truthOf } from './formula/evaluate.ts'
import type { ShownInput } from './question.ts'
import type { Report, Witness } from './verdict.ts'
import { claims } from './witness/trail.ts'

/** The analysis of a ruleset that is being edited. */
export interface Session {
  /** Report of the last version. */
  readonly report: Report
  /** An input that takes a branch of a decision, or its default; undefined: none was seen. */
  inputFor(step: string, branch?: number): Witness | undefined
  /** Analyses the next version: with the inputs, formulas and learned clauses of the last one. */
  update(ruleset: Ruleset): Report
}

/** Versions that share formulas: formulas of old versions need memory. */
const MAX_VERSIONS = 200
/** Edited conditions for which inputs are examined one by one; with more, all inputs are executed again. */
const MAX_EDITS = 32

export function createSession(ruleset: Ruleset, options: AnalyzeOptions = {}): Session {
  let proofs: Proofs = new Map()
  let analysis = new Analysis(ruleset, options, undefined, proofs)
  let last = ruleset
  let report = analysis.report()
  let versions = 1
  return {
    get report() {
      return report
    },
    inputFor: (step, branch) =>
      analysis.shownBy(branch === undefined ? claims.default(step) : claims.taken(step, branch)),
    update(next) {
      const memory = versions < MAX_VERSIONS ? memoryFor(last, next, analysis) : undefined
      versions = memory === undefined ? 1 : versions + 1
      const seeds = memory === undefined ? analysis.shown().map(({ input }) => input) : []
      if (memory === undefined) proofs = new Map()
      analysis = new Analysis(next, { ...options, seeds: [...(options.seeds ?? []), ...seeds] }, memory, proofs)
      last = next
      report = analysis.report()
      return report
    },
  }
}

/** The part of an analysis that is valid for the next version; undefined: none. */
function memoryFor(before: Ruleset, after: Ruleset, analysis: Analysis): Memory | undefined {
  if (contractText(before) !== contractText(after) || before.config.numbers !== after.config.numbers) return undefined
  const { encoder, inputs } = analysis.memory()
  const edits = editsBetween(before, after)
  const policy = evaluationPolicy(after)
  const recalled: ShownInput[] = []
  const again: ShownInput[] = []
  for (const one of inputs) {
    const isSame = edits !== undefined && edits.every((edit) => isUntouched(one, edit, policy))
    if (isSame) recalled.push(one)
    else again.push(one)
  }
  return { encoder, recalled, again: again.map(({ candidate }) => candidate) }
}

/** A changed condition. */
interface Edit {
  readonly step: string
  readonly branch: number
  readonly condition: Expression
}

/** The changed conditions of two versions that are otherwise the same; undefined: more differs. */
function editsBetween(before: Ruleset, after: Ruleset): readonly Edit[] | undefined {
  if (textOf({ ...before.config, contract: undefined }) !== textOf({ ...after.config, contract: undefined }))
    return undefined
  if (before.steps.size !== after.steps.size) return undefined
  const edits: Edit[] = []
  for (const [id, step] of after.steps) {
    const old = before.steps.get(id)
    if (old === undefined || skeletonOf(old) !== skeletonOf(step)) return undefined
    if (old.type !== 'decision' || step.type !== 'decision') continue
    for (const [branch, { condition, source }] of step.branches.entries()) {
      const previous = old.branches[branch]
      if (previous === undefined || previous.source === source) continue
      if (print(previous.condition) !== print(condition)) edits.push({ step: id, branch, condition })
    }
    if (edits.length > MAX_EDITS) return undefined
  }
  return edits
}

/** A step apart from its conditions. */
function skeletonOf(step: Step): string {
  if (step.type !== 'decision') return textOf(step)
  return textOf({ ...step, branches: step.branches.map(({ nextStep, actions }) => ({ nextStep, actions })) })
}

/** The same text for equal parts of decoded rulesets. */
const textOf = (part: object): string => JSON.stringify(plain(part))

function plain(part: unknown): unknown {
  if (typeof part === 'bigint' || isDecimal(part)) return `${String(part)}n`
  if (part instanceof Map) return [...part].map(plain)
  if (Array.isArray(part)) return part.map(plain)
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, plain(inner)]))
}

/** Whether the execution of an input is the same after an edit: it does not come to the condition, or the outcome is the same. */
function isUntouched({ candidate, trail: { seen } }: ShownInput, edit: Edit, policy: EvaluationPolicy): boolean {
  const { step, branch, condition } = edit
  const entered = claims.step(step)
  if (!seen.includes(entered)) return true
  // In a loop the condition is evaluated several times.
  if (seen.indexOf(entered) !== seen.lastIndexOf(entered) || readsVariable(condition)) return false
  const end = endAt(step, seen)
  if (end === undefined) return false
  if (end.branch < branch) return true
  const outcome = truthOf(evaluate(condition, policy, candidate.input, new Map(), candidate.now))
  return outcome === (end.branch === branch ? end.outcome : FAILS)
}

/** The last condition of a step that was evaluated, and its outcome; after all of them: infinity. Undefined: not known. */
function endAt(
  step: string,
  seen: readonly string[],
): { readonly branch: number; readonly outcome: string } | undefined {
  if (seen.includes(claims.default(step)) || seen.includes(claims.gap(step)))
    return { branch: Infinity, outcome: FAILS }
  for (const key of seen) {
    const taken = key.startsWith(`taken ${step} `) ? key.slice(`taken ${step} `.length) : ''
    if (/^\d+$/.test(taken)) return { branch: Number(taken), outcome: HOLDS }
    const failed = key.startsWith(`fails ${step} `) ? key.slice(`fails ${step} `.length) : ''
    const [, branch, code] = /^(\d+) condition (.+)$/.exec(failed) ?? []
    if (branch !== undefined && code !== undefined) return { branch: Number(branch), outcome: code }
  }
  return undefined
}

function readsVariable(condition: Expression): boolean {
  let reads = false
  walk(condition, (node) => {
    if (node.kind === 'variable') reads = true
  })
  return reads
}
