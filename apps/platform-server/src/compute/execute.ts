import {
  checkInput,
  compareRulesets,
  coverageOf,
  deriveContract,
  draftParts,
  pathOf,
  runCase,
  stubbedHost,
  tracedSteps,
} from '@engine/authoring'
import { type Value } from '@engine/expression'
import { createProgram, ExecutionError, type Inspection, inspect, type Ruleset } from '@engine/ruleset'
import { checked, inMemory } from './check.ts'
import { diffText } from './diff.ts'
import { HOST } from './sandbox-host.ts'
import { readBody } from './body-reader.ts'
import { refusals } from './refusals.ts'
import { shadowed } from './shadow.ts'
import { readSuiteFile, writeSuiteFile } from './suite-file.ts'
import { problemsOfSubRule } from './sub-rule.ts'
import { usedIn } from './usage.ts'
import { executable } from './executable.ts'
import type {
  AnalyzeTask,
  CaseOutcome,
  CasesTask,
  DeriveTask,
  ExportTask,
  ImpactTask,
  ImportTask,
  MeasureTask,
  ReadArchiveTask,
  ReplayTask,
  Results,
  Task,
  TraceTask,
  WriteArchiveTask,
} from './tasks.ts'

/** Performs a task on this thread. */
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
    case 'write-suites':
      return Promise.resolve({ bytes: writeSuiteFile(task) })
    case 'compare':
      return Promise.resolve(compareRulesets(task.base, task.next, task.contracts))
    case 'diff':
      return Promise.resolve({ text: diffText(task) })
    case 'usage':
      return Promise.resolve(usedIn(task))
    case 'derive':
      return Promise.resolve(derived(task))
    case 'import':
      return importOn(task)
    case 'shadow':
      return shadowed(task)
    case 'refusals':
      return Promise.resolve(refusals(task))
    case 'export':
      return exportOn(task)
    case 'read-archive':
    case 'write-archive':
      return archiveOn(task)
    case 'analyze':
    case 'impact':
    case 'replay':
    case 'measure':
      return analysisOn(task)
  }
}

async function analysisOn(
  task: AnalyzeTask | ImpactTask | ReplayTask | MeasureTask,
): Promise<Results[(typeof task)['kind']]> {
  const { analysisResult } = await import('./analysis.ts')
  return analysisResult(task)
}

/** Readers of other formats are loaded on demand. */
async function importOn(task: ImportTask): Promise<Results['import']> {
  const { imported } = await import('./interchange.ts')
  return imported(task)
}

async function exportOn(task: ExportTask): Promise<Results['export']> {
  const { exported } = await import('./interchange.ts')
  return exported(task)
}

async function archiveOn(task: ReadArchiveTask | WriteArchiveTask): Promise<Results[(typeof task)['kind']]> {
  const { readSentArchive, writeProjectArchive } = await import('./archive.ts')
  return task.kind === 'read-archive' ? readSentArchive(task) : writeProjectArchive(task)
}

function derived({ subject, inputs }: DeriveTask): Results['derive'] {
  const found = executable(inMemory(subject))
  if (found.kind === 'problems') return found
  return { kind: 'derived', contract: deriveContract(found.ruleset, inputs) }
}

async function traced({ subject: sent, input, now, stubs }: TraceTask): Promise<Results['trace']> {
  const subject = inMemory(sent)
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, converted, places } = found
  const host = stubbedHost({ ...(now !== undefined && { now }), ...(stubs !== undefined && { stubs }) }, HOST)
  const inspection = await inspect(ruleset, host, input)
  // Durations come from the code that engines run; values come from the interpreter.
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
        steps: tracedSteps(inspection, subject.draft, converted, timed?.steps),
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
    // Near its time limit an execution may succeed one time and fail the next.
    if (error instanceof ExecutionError) return undefined
    throw error
  }
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
  return { kind: 'run', outcomes, coverage: coverageOf(ruleset, inspections, draftParts(found.converted)) }
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
