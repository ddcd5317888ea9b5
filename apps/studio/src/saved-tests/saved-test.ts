import type { Case } from '@engine/authoring'
import { call } from '../api/client.ts'
import { keyOf, queryClient } from '../api/data.ts'
import type { components } from '../api/schema.ts'

export const TESTS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests'
const ONE = `${TESTS}/{sid}/cases/{cid}` as const

/** A stored test of a ruleset, with the id of its suite. */
export type SavedTest = Case & { readonly id: string; readonly suiteId: string }

/** The tests of suites. */
export const testsIn = (suites: readonly components['schemas']['TestSuite'][]): readonly SavedTest[] =>
  suites.flatMap(({ id: suiteId, name: suite, cases }) =>
    cases.map((one) => ({ ...(one as unknown as Case & { readonly id: string }), suite, suiteId })),
  )

/** Identifies the tests of a ruleset. */
export interface TestsPlace {
  readonly oid: string
  readonly pid: string
  /** Name of the ruleset. */
  readonly name: string
}

type CaseBody = components['schemas']['CaseRequest']

const bodyOf = ({ name, input, now, stubs, expect }: Omit<Case, 'id' | 'suite'>): CaseBody =>
  ({ name, input, ...(now !== undefined && { now }), ...(stubs !== undefined && { stubs }), expect }) as CaseBody

const refetch = () => queryClient.invalidateQueries({ queryKey: keyOf(TESTS) })

/** Add a test to the default suite. */
export async function addTest(place: TestsPlace, added: Omit<Case, 'id' | 'suite'>): Promise<void> {
  await call('post', TESTS, { path: { ...place }, body: bodyOf(added) })
  await refetch()
}

export async function replaceTest(place: TestsPlace, test: SavedTest): Promise<void> {
  const { id: cid, suiteId: sid } = test
  await call('put', ONE, { path: { ...place, sid, cid }, body: bodyOf(test) })
  await refetch()
}

export async function removeTest(place: TestsPlace, { id: cid, suiteId: sid }: SavedTest): Promise<void> {
  await call('delete', ONE, { path: { ...place, sid, cid } })
  await refetch()
}
