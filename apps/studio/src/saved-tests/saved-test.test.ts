import { BASE } from '../api/loaded-client.testing.ts'
import { parseJson } from '@engine/expression'
import { afterEach, expect, test, vi } from 'vitest'
import { addTest, removeTest, replaceTest, type SavedTest, testsIn } from './saved-test.ts'

const PLACE = { oid: 'o', pid: 'p', name: 'a b' }
const TEST: SavedTest = {
  id: 'c1',
  suiteId: 's1',
  suite: 'default',
  name: 'gold',
  input: { tier: 'gold' },
  expect: { code: 'VIP' },
}
const MORE = { now: '2026-01-01T00:00:00Z', stubs: { 'rates.get': 5 } }
const { suite: _suite, id: _id, suiteId: _suiteId, ...BODY } = TEST

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The requests that a change sends: method, path and body. */
async function sent(change: () => Promise<void>): Promise<readonly unknown[]> {
  const requests: unknown[] = []
  vi.stubGlobal('fetch', (address: string, { method, body = 'null' }: { method: string; body?: string }) => {
    const read = parseJson(body, { duplicateKeys: 'refuse' })
    requests.push([method, address.slice(BASE.length), read.kind === 'parsed' ? read.value : body])
    return Promise.resolve(new Response('{}'))
  })
  await change()
  return requests
}

const TESTS = '/api/v1/orgs/o/projects/p/rulesets/a%20b/tests'

test('a test is added with its time and stubs, and without the ids of another', async () => {
  expect(await sent(() => addTest(PLACE, TEST))).toEqual([['POST', TESTS, BODY]])
  expect(await sent(() => addTest(PLACE, { ...TEST, ...MORE }))).toEqual([['POST', TESTS, { ...BODY, ...MORE }]])
})

test('a test is replaced and removed in its suite', async () => {
  expect(await sent(() => replaceTest(PLACE, { ...TEST, ...MORE }))).toEqual([
    ['PUT', `${TESTS}/s1/cases/c1`, { ...BODY, ...MORE }],
  ])
  expect(await sent(() => removeTest(PLACE, TEST))).toEqual([['DELETE', `${TESTS}/s1/cases/c1`, null]])
})

test('the tests of all suites have the names and ids of their suites', () => {
  const { suite: _name, suiteId: _sid, ...stored } = TEST
  const suites = [
    { id: 's1', name: 'default', cases: [stored, { ...stored, id: 'c2' }] },
    { id: 's2', name: 'more', cases: [{ ...stored, id: 'c3' }] },
  ] as unknown as Parameters<typeof testsIn>[0]
  expect(testsIn(suites)).toEqual([TEST, { ...TEST, id: 'c2' }, { ...TEST, id: 'c3', suite: 'more', suiteId: 's2' }])
})
