import type { CaseStubs } from '@engine/analysis'
import {
  type Case,
  type CaseHost,
  checkInput,
  type ConvertedDraft,
  coverageOf,
  draftParts,
  type DraftRuleset,
  type EditorPlaces,
  hitsOf,
  hitsOfCounts,
  runCase,
  stubbedHost,
  tracedSteps,
} from '@engine/authoring'
import { parse, type Value } from '@engine/expression'
import { type Host, type Inspection, inspect, valueAt } from '@engine/ruleset'
import { stepAt } from '../session/open-graph.ts'
import type { Executable } from './executable.ts'
import type { CountedBranches, LocalCase, LocalRun, LocalStep, ReplayedOutcome, Subject, Tasks } from './tasks.ts'

/**
 * The interpreter generates no code: the policy of the worker forbids it, and interpretation is fast enough for one
 * user.
 */
const HOST: CaseHost = { now: Date.now, monotonic: () => performance.now(), makeFunction: undefined }

/** One execution, with the parts that it reached. */
export async function ran(
  { ruleset, places }: Executable,
  { draft }: Subject,
  input: Value,
  stubs: CaseStubs = {},
): Promise<Tasks['run']['gives']> {
  const inspection = await inspect(ruleset, stubbedHost({ stubs }, HOST), input)
  const { result, error } = inspection
  const run: LocalRun = {
    code: result?.code ?? null,
    message: result?.message ?? null,
    output: result?.output ?? null,
    steps: stepsOf(inspection, draft, places),
    parts: [...hitsOf(ruleset, [inspection], draftParts(places)).keys()],
    ...(error !== undefined && {
      error: { message: error.message, step: places.editorStep(error.step)?.step_id ?? error.step },
    }),
  }
  return { kind: 'ran', run }
}

/** The value of an expression where an execution first enters a step. Incomplete text has no value. */
export async function evaluated(
  { ruleset, places }: Executable,
  { input, text, path, assignments }: Tasks['evaluate']['takes'],
): Promise<Tasks['evaluate']['gives']> {
  const parsed = parse(text)
  if (parsed.kind === 'failed') return undefined
  const steps = new Set([...ruleset.steps.keys()].filter((id) => places.editorStep(id)?.path === path))
  const before = assignments.flatMap(({ name = '', value = '' }) => {
    const read = parse(value)
    return read.kind === 'failed' ? [] : [{ name: name.replace(/^\$/, ''), value: read.expression }]
  })
  const question = { steps, assignments: before, expression: parsed.expression }
  return valueAt(ruleset, stubbedHost({}, HOST), input, question)
}

/** Steps by JSON pointer: the ruleset and its sub-rules may use the same step id. */
function stepsOf(
  inspection: Inspection,
  draft: DraftRuleset,
  { editorStep, isGenerated }: ConvertedDraft,
): readonly LocalStep[] {
  const byPath: EditorPlaces['editorStep'] = (id, branch) => {
    const place = editorStep(id, branch)
    return place && { ...place, step_id: place.path }
  }
  return tracedSteps(inspection, draft, { editorStep: byPath, isGenerated }).map((step) => ({
    ...step,
    id: stepAt(draft, step.id)?.id ?? step.id,
    path: step.id,
  }))
}

/** The results of all cases, and the number of cases that reached each part. */
export async function ranCases(
  { ruleset, places }: Executable,
  { contract, concepts }: Subject,
  cases: readonly Case[],
): Promise<Tasks['cases']['gives']> {
  const named = new Map(concepts.map(({ name, fields }) => [name, fields]))
  const options = {
    stepOf: (id: string) => places.editorStep(id)?.step_id ?? id,
    ...(contract !== undefined && { contract: (input: Value) => checkInput(contract, input, named) }),
  }
  const shown: LocalCase[] = []
  const inspections: Inspection[] = []
  for (const one of cases) {
    const { name, failures, inspection } = await runCase(ruleset, one, HOST, options)
    const { result, error } = inspection
    const outcome = {
      code: result?.code ?? null,
      message: result?.message ?? null,
      output: result?.output ?? null,
      ...(error !== undefined && { error: error.message }),
    }
    shown.push({ id: one.id, name, outcome, failures: failures.map(({ message }) => message) })
    inspections.push(inspection)
  }
  const parts = draftParts(places)
  return {
    kind: 'ran',
    cases: shown,
    coverage: coverageOf(ruleset, inspections, parts),
    hits: hitsOf(ruleset, inspections, parts),
  }
}

/** The number of given inputs that reach each part. */
export async function seenBy(
  { ruleset, places }: Executable,
  inputs: readonly Value[],
): Promise<ReadonlyMap<string, number>> {
  const inspections: Inspection[] = []
  for (const input of inputs) inspections.push(await inspect(ruleset, stubbedHost({}, HOST), input))
  return hitsOf(ruleset, inspections, draftParts(places))
}

/** The number of decisions that took each part, as counted by engines. */
export const countedIn = ({ ruleset, places }: Executable, counts: CountedBranches): ReadonlyMap<string, number> =>
  hitsOfCounts(ruleset, counts, draftParts(places))

/** Executes decisions again, each at its own time. */
export async function replayed(
  { ruleset }: Executable,
  decisions: readonly {
    readonly input: Value
    readonly at: number
    /** Answers external calls; undefined: calls fail. */
    readonly capabilities: Host['capabilities'] | undefined
  }[],
): Promise<readonly ReplayedOutcome[]> {
  const outcomes: ReplayedOutcome[] = []
  for (const { input, at, capabilities } of decisions) {
    const host = stubbedHost({}, { ...HOST, now: () => at })
    const { result } = await inspect(ruleset, capabilities === undefined ? host : { ...host, capabilities }, input)
    outcomes.push({ code: result?.code ?? null, output: result?.output ?? null })
  }
  return outcomes
}
