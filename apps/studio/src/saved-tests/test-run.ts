import type { components } from '../api/schema.ts'

type TestRun = components['schemas']['TestRun']

/** The results of the tests of a ruleset, and what all of them reach: unknown until all have run. */
export interface ShownRun {
  readonly results: TestRun['results']
  readonly coverage: TestRun['coverage'] | undefined
}

/** The results after some tests have run again, each in its place; those of tests that had not run yet come last. */
export function withResults(known: ShownRun | undefined, { results }: Pick<TestRun, 'results'>): ShownRun {
  const byId = new Map(known?.results.map((one) => [one.case_id, one]))
  for (const one of results) byId.set(one.case_id, one)
  return { results: [...byId.values()], coverage: known?.coverage }
}
