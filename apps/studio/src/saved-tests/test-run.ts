import type { components } from '../api/schema.ts'

type TestRun = components['schemas']['TestRun']

/** The results of the tests of a ruleset, and their total coverage, which is unknown until all have run. */
export interface ShownRun {
  readonly results: TestRun['results']
  readonly coverage: TestRun['coverage'] | undefined
}

/** The results after some tests were run again, in their former order; tests that run for the first time come last. */
export function withResults(known: ShownRun | undefined, { results }: Pick<TestRun, 'results'>): ShownRun {
  const byId = new Map(known?.results.map((one) => [one.case_id, one]))
  for (const one of results) byId.set(one.case_id, one)
  return { results: [...byId.values()], coverage: known?.coverage }
}
