import {
  type CaseHost,
  checkInput,
  compareRulesets,
  type ConvertedDraft,
  coverageOf,
  deriveContract,
  type DraftRuleset,
  type Part,
  type Parts,
  pathOf,
  runCase,
  stubbedHost,
} from '@engine/authoring'
import { makeFunction, quote, type Value } from '@engine/expression'
import { setImmediate } from 'node:timers/promises'
import { createProgram, decodeRuleset, ExecutionError, type Inspection, inspect, type Ruleset } from '@engine/ruleset'
import { checked, convertSubject, inMemory } from './check.ts'
import { readBody } from './read-body.ts'
import { readSuiteFile } from './suite-file.ts'
import { problemsOfSubRule } from './sub-rule.ts'
import type {
  CaseOutcome,
  CasesTask,
  DeriveTask,
  Results,
  Subject,
  Task,
  TracedStep,
  TraceTask,
  Unexecuted,
} from './tasks.ts'

/** Does a task on this thread. */
export function execute(task: Task): Promise<Results[Task['kind']]> {
  switch (task.kind) {
    case 'trace':
      return traced(task)
    case 'cases':
      return runCases(task)
    case 'check':
      return Promise.resolve(checked(task))
    case 'sub-rule':
      return Promise.resolve({ problems: problemsOfSubRule(task) })
    case 'read':
      return Promise.resolve(readBody(task))
    case 'suite-file':
      return Promise.resolve(readSuiteFile(task))
    case 'compare':
      return Promise.resolve(compareRulesets(task.base, task.next, task.contracts))
    case 'derive':
      return Promise.resolve(derived(task))
  }
}

interface Executable {
  readonly kind: 'executable'
  readonly ruleset: Ruleset
  readonly places: ConvertedDraft['editorStep']
}

/** The draft as an engine would have it. */
function executable(subject: Subject): Executable | Unexecuted {
  const { ruleset, problems, editorStep: places } = convertSubject(subject)
  const decoded = ruleset && decodeRuleset(ruleset).ruleset
  if (decoded === undefined || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'problems', problems }
  return { kind: 'executable', ruleset: decoded, places }
}

function derived({ subject, inputs }: DeriveTask): Results['derive'] {
  const found = executable(inMemory(subject))
  if (found.kind === 'problems') return found
  return { kind: 'derived', contract: deriveContract(found.ruleset, inputs) }
}

/** As that of an engine, but for the outside. */
const HOST: CaseHost = {
  now: Date.now,
  monotonic: () => performance.now(),
  makeFunction,
  pause: () => setImmediate(),
}

async function traced({ subject: sent, input, now, stubs }: TraceTask): Promise<Results['trace']> {
  const subject = inMemory(sent)
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, places } = found
  const host = stubbedHost({ ...(now !== undefined && { now }), ...(stubs !== undefined && { stubs }) }, HOST)
  const inspection = await inspect(ruleset, host, input)
  // What each step took is known of the code that engines run; the values are those of the interpreter.
  const timed = inspection.error === undefined ? await durationsOf(ruleset, host, input) : undefined
  const { result, error } = inspection
  const stepOf = (id: string) => places(id)?.step_id ?? id
  return {
    kind: 'traced',
    traced: {
      code: result?.code ?? null,
      message: result?.message ?? null,
      output: result?.output ?? null,
      duration_us: timed?.total ?? inspection.duration_us,
      trace: {
        path: pathOf(inspection, stepOf).join(' -> '),
        steps: stepsOf(inspection, subject.draft, places, timed?.steps),
        ...(inspection.truncated && { truncated: true as const }),
      },
      ...(error !== undefined && { error: { message: error.message, code: error.code, step_id: stepOf(error.step) } }),
    },
  }
}

async function durationsOf(ruleset: Ruleset, host: ReturnType<typeof stubbedHost>, input: Value) {
  try {
    const program = createProgram(ruleset, host)
    const { duration_us: total, trace } = await program.execute(input, { trace: true })
    return { total, steps: trace?.steps.map(({ duration_us }) => duration_us) ?? [] }
  } catch (error) {
    // At the edge of its time limit an execution may succeed once and fail once.
    if (error instanceof ExecutionError) return undefined
    throw error
  }
}

/** The steps of the author: what one became is one again. */
function stepsOf(
  { steps }: Inspection,
  draft: DraftRuleset,
  places: Executable['places'],
  durations: readonly number[] | undefined,
): readonly TracedStep[] {
  const shown: (TracedStep & { engineId: string })[] = []
  for (const [index, { id: engineId, name, type, branches, variables }] of steps.entries()) {
    const place = places(engineId)
    const id = place?.step_id ?? engineId
    const duration = durations?.[index]
    const tried = branches.map(({ condition, taken, fields, error }, number) => ({
      path: places(engineId, number)?.path ?? '',
      condition,
      taken,
      fields,
      ...(error !== undefined && { error }),
    }))
    const last = shown.at(-1)
    if (last !== undefined && last.id === id && last.engineId !== engineId)
      Object.assign(last, {
        engineId,
        values: variables,
        ...(tried.length > 0 && { branches: [...(last.branches ?? []), ...tried] }),
        ...(duration !== undefined && { duration_us: (last.duration_us ?? 0) + duration }),
      })
    else
      shown.push({
        engineId,
        id,
        name,
        type: typeAt(draft, place?.path) ?? type,
        ...(duration !== undefined && { duration_us: duration }),
        ...(tried.length > 0 && { branches: tried }),
        values: variables,
      })
  }
  return shown.map(({ engineId: _engineId, ...step }) => step)
}

/** The type of a step of the draft itself, by its pointer: a table becomes steps of other types. */
function typeAt({ steps }: DraftRuleset, path: string | undefined): string | undefined {
  const [, index] = /^\/steps\/(\d+)$/.exec(path ?? '') ?? []
  return index === undefined ? undefined : steps[Number(index)]?.type
}

async function runCases({ subject: sent, cases }: CasesTask): Promise<Results['cases']> {
  const subject = inMemory(sent)
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, places } = found
  const stepOf = (id: string) => places(id)?.step_id ?? id
  const { contract } = subject
  const options = {
    stepOf,
    ...(contract !== undefined && {
      contract: (input: Value) => checkInput(contract.contract, input, contract.concepts),
    }),
  }
  const inspections: Inspection[] = []
  const outcomes: CaseOutcome[] = []
  for (const one of cases) {
    const { failures, inspection } = await runCase(ruleset, one, HOST, options)
    inspections.push(inspection)
    outcomes.push({
      passed: failures.length === 0,
      failures,
      actual: actualOf(inspection, stepOf),
      duration_us: inspection.duration_us,
    })
  }
  return { kind: 'run', outcomes, coverage: coverageOf(ruleset, inspections, partsOf(places)) }
}

function actualOf(inspection: Inspection, stepOf: (id: string) => string): CaseOutcome['actual'] {
  const { result, error } = inspection
  return {
    code: result?.code ?? null,
    message: result?.message ?? null,
    output: result?.output ?? null,
    path: pathOf(inspection, stepOf),
    ...(error !== undefined && { error: error.message }),
  }
}

/** Steps, branches and rows of the draft, by their places in it. */
function partsOf(places: Executable['places']): Parts {
  return {
    step(id): Part {
      const place = places(id)
      return { key: place?.path ?? id, words: `step ${quote(place?.step_id ?? id)}` }
    },
    wayOut({ id }, branch): Part {
      const step = places(id)
      const name = quote(step?.step_id ?? id)
      if (branch === undefined) return { key: `${step?.path ?? id}/default`, words: `the default of ${name}` }
      const path = places(id, branch)?.path ?? `${step?.path ?? id}/branches/${branch}`
      const [, row] = /\/rows\/(\d+)$/.exec(path) ?? []
      if (row !== undefined) return { key: path, words: `row ${Number(row) + 1} of ${name}`, isRow: true }
      return { key: path, words: `branch ${branch + 1} of ${name}` }
    },
  }
}
