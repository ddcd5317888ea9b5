import { defined } from '@engine/expression'
import { type Coverage, type Problem, type ReportedSuite, junitText, tapText } from '@engine/authoring'
import { type Answer } from '@engine/http-server'
import type { IncomingMessage } from 'node:http'
import { json } from '../../http/json-response.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import type { Compute, Outcome } from '../../compute/compute.ts'
import type { CaseOutcome, Results } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { currentDraft, draftAt, type DraftRow } from '../drafts/repository.ts'
import { subjectOf } from '../drafts/subject.ts'
import type { Case, ProjectRun, RunRequest, TestRun } from './model.ts'
import { casesOf, type SuiteRow } from './suites.ts'

/** Maximum number of uncovered parts that a run lists. */
const MAX_MISSING = 100

interface Run {
  readonly scope: Scope
  readonly project: string
  readonly compute: Compute
}

/**
 * Run cases of a ruleset as of one of its saves. Throws 400 for an unknown save or case, and for a ruleset with errors.
 */
export async function runSuites(
  run: Run,
  row: DraftRow,
  { seq, case_ids: ids }: RunRequest,
  all: readonly SuiteRow[],
): Promise<TestRun> {
  const suites = ids === undefined ? all : withCases(all, ids)
  const outcome = await outcomeOf(run, row, seq, suites)
  if (outcome.kind === 'done' && outcome.result.kind === 'problems') throw invalidDocument(outcome.result.problems)
  return testRun(suites, outcome)
}

/** Suites with the given cases, in the order of the suites. Throws 400 for an id without a case. */
function withCases(suites: readonly SuiteRow[], ids: readonly string[]): readonly SuiteRow[] {
  const known = new Set(suites.flatMap(casesOf).map(({ id }) => id))
  const unknown = ids.findIndex((id) => !known.has(id))
  if (unknown !== -1) throw failures.invalid(`/case_ids/${unknown}`, 'is not the id of a case here', 'unknown-case')
  const wanted = new Set(ids)
  return suites.map((suite) => ({ ...suite, cases: casesOf(suite).filter(({ id }) => wanted.has(id)) }))
}

/** Run the suites of all rulesets of a project. If a ruleset has errors, all its cases fail. */
export async function runProject(
  run: Run,
  rulesets: readonly { readonly row: DraftRow; readonly suites: readonly SuiteRow[] }[],
): Promise<ProjectRun> {
  const runs: ProjectRun['rulesets'] = []
  // Sequential: this leaves threads for other requests.
  for (const { row, suites } of rulesets)
    runs.push({ name: row.name, ...testRun(suites, await outcomeOf(run, row, undefined, suites)) })
  const sum = (key: 'total' | 'passed' | 'failed') => runs.reduce((total, one) => total + one[key], 0)
  return { total: sum('total'), passed: sum('passed'), failed: sum('failed'), rulesets: runs }
}

async function outcomeOf(
  { scope, project, compute }: Run,
  row: DraftRow,
  seq: number | undefined,
  suites: readonly SuiteRow[],
): Promise<Outcome<Results['cases']>> {
  const draft =
    seq === undefined ? await currentDraft(scope, project, row.name) : await draftAt(scope, project, row.name, seq)
  if (draft === undefined || draft.row.id !== row.id)
    throw failures.invalid('/seq', 'is not a save of this ruleset', 'unknown-seq')
  const subject = await subjectOf(scope, project, draft.ruleset, await contractFor(scope, project, draft.ruleset))
  return compute.run({ kind: 'cases', subject, cases: suites.flatMap(casesOf) })
}

/** The outcomes of the cases of suites, in order. */
export function testRun(
  suites: readonly Pick<SuiteRow, 'name' | 'cases'>[],
  outcome: Outcome<Results['cases']>,
): TestRun {
  const cases = suites.flatMap((suite) => casesOf(suite).map((one) => ({ suite: suite.name, one })))
  const outcomes =
    outcome.kind === 'done' && outcome.result.kind === 'run'
      ? outcome.result.outcomes
      : cases.map(() => unexecuted(reasonOf(outcome)))
  const coverage = outcome.kind === 'done' && outcome.result.kind === 'run' ? outcome.result.coverage : NOTHING
  const results = cases.map(({ suite, one }, index) => resultOf(suite, one, defined(outcomes[index])))
  const passed = results.filter((result) => result.passed).length
  return { total: results.length, passed, failed: results.length - passed, results, coverage: shownCoverage(coverage) }
}

function resultOf(suite: string, { id, name }: Case, outcome: CaseOutcome): TestRun['results'][number] {
  const { passed, failures: found, actual, duration_us } = outcome
  return {
    suite,
    case_id: id,
    name,
    passed,
    failures: [...found],
    actual: { ...actual, path: [...actual.path] },
    duration_us,
  }
}

const NOTHING: Coverage = {
  steps: { covered: 0, total: 0, missing: [] },
  branches: { covered: 0, total: 0, missing: [] },
  rows: { covered: 0, total: 0, missing: [] },
}

function shownCoverage({ steps, branches, rows }: Coverage): TestRun['coverage'] {
  const shown = ({ covered, total, missing }: Coverage['steps']) => ({
    covered,
    total,
    missing: missing.slice(0, MAX_MISSING),
  })
  return { steps: shown(steps), branches: shown(branches), rows: shown(rows) }
}

function reasonOf(outcome: Outcome<Results['cases']>): string {
  if (outcome.kind === 'over') return `the run was ended: ${outcome.message}`
  const problems: readonly Problem[] = outcome.result.kind === 'problems' ? outcome.result.problems : []
  const error = problems.find(({ severity }) => severity === 'error')
  return `the ruleset has errors: \`${error?.path ?? ''}\`: ${error?.message ?? ''}`
}

/** A case whose ruleset was not executed, or not to the end. */
function unexecuted(message: string): CaseOutcome {
  const actual = { code: null, message: null, output: null, path: [], error: message }
  return { passed: false, failures: [{ kind: 'ruleset', message }], actual, duration_us: 0 }
}

/** A run in the format that the client prefers. */
export function runAnswer(
  { headers }: Pick<IncomingMessage, 'headers'>,
  run: TestRun | ProjectRun,
  name: string,
): Answer {
  const runs = 'rulesets' in run ? run.rulesets : [{ name, ...run }]
  const suites = () => runs.map(reported)
  switch (formOf(headers.accept)) {
    case 'xml':
      return { status: 200, body: junitText(suites()), type: 'application/xml; charset=utf-8' }
    case 'tap':
      return { status: 200, body: tapText(suites()), type: 'text/x-tap; charset=utf-8' }
    case 'json':
      return json(200, run)
  }
}

function formOf(accept = ''): 'json' | 'xml' | 'tap' {
  const types = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase())
  const found = types.find((type) => type === 'application/json' || type === 'application/xml' || type === 'text/x-tap')
  return found === 'application/xml' ? 'xml' : found === 'text/x-tap' ? 'tap' : 'json'
}

function reported({ name, results }: TestRun & { readonly name: string }): ReportedSuite {
  return {
    name,
    tests: results.map((result) => ({
      name: `${result.suite}: ${result.name}`,
      duration: result.duration_us / 1000,
      failures: result.failures.map(({ message }) => message),
    })),
  }
}
