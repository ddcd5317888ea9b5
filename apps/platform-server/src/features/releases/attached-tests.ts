import type { Compute } from '../../compute/compute.ts'
import type { Case, TestRun } from '../test-suites/model.ts'
import { testRun } from '../test-suites/runs.ts'
import type { Copy } from './snapshot.ts'

/** Maximum number of results stored with a release, failed ones first. */
const MAX_RESULTS = 200

/** Runs the suites of all copies sequentially, leaving threads for other requests. */
export async function runAttached(compute: Compute, copies: readonly Copy[]): Promise<TestRun> {
  const runs: TestRun[] = []
  for (const { name, suites, subject } of copies) {
    const named = suites.map((suite) => ({
      name: copies.length === 1 ? suite.name : `${name}/${suite.name}`,
      cases: suite.cases,
    }))
    const cases = suites.flatMap((suite) => suite.cases as readonly Case[])
    if (cases.length > 0) runs.push(testRun(named, await compute.run({ kind: 'cases', subject, cases })))
  }
  return together(runs)
}

/** Combines several runs. */
function together(runs: readonly TestRun[]): TestRun {
  const sum = (key: 'total' | 'passed' | 'failed') => runs.reduce((total, run) => total + run[key], 0)
  const results = runs
    .flatMap((run) => run.results)
    .toSorted((left, right) => Number(left.passed) - Number(right.passed))
    .slice(0, MAX_RESULTS)
  const covered = (part: 'steps' | 'branches' | 'rows') => ({
    covered: runs.reduce((total, { coverage }) => total + coverage[part].covered, 0),
    total: runs.reduce((total, { coverage }) => total + coverage[part].total, 0),
    missing: runs.flatMap(({ coverage }) => coverage[part].missing),
  })
  return {
    total: sum('total'),
    passed: sum('passed'),
    failed: sum('failed'),
    results,
    coverage: { steps: covered('steps'), branches: covered('branches'), rows: covered('rows') },
  }
}
