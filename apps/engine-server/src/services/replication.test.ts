import { expect, test } from 'vitest'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import type { Cause } from '../catalog/change-feed.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { createReplicationService, outcome } from './replication.ts'

const documentOf = (version: string) =>
  JSON.stringify({
    config: { name: 'a', version },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '' } } },
  })

const of = (version: string) => ({ name: 'a', version, text: documentOf(version) })

function opened() {
  const catalog = sampleCatalog()
  return { catalog, replication: createReplicationService(catalog) }
}

test('a document that was being decoded when a newer change arrived does not overwrite it', async () => {
  const { catalog, replication } = opened()
  let meetsPrecondition = true
  const old = replication.put(of('1.0.0'), () => meetsPrecondition)
  // The change arrives before decoding, which yields to others, has finished.
  meetsPrecondition = false
  expect(await old).toEqual({ kind: 'unchanged' })
  expect(catalog.get('a')).toBeUndefined()
})

test.each([
  [
    'another version than it holds',
    { ...of('1.0.0'), version: '2.0.0' },
    'it is announced as `2.0.0`, and holds `1.0.0`',
  ],
  ['another name than it holds', { ...of('1.0.0'), name: 'b' }, 'it holds the ruleset `a`'],
])('a ruleset announced under %s is refused', async (_what, ruleset, reason) => {
  const { catalog, replication } = opened()
  expect(await replication.put(ruleset)).toEqual({ kind: 'refused', reason })
  expect([...catalog.list()]).toEqual([])
})

test('a desired ruleset is stored once', async () => {
  const { catalog, replication } = opened()
  expect(await replication.put(of('1.0.0'), () => true)).toEqual({ kind: 'applied' })
  expect(await replication.put(of('1.0.0'))).toEqual({ kind: 'unchanged' })
  expect(catalog.get('a')?.version).toBe('1.0.0')
})

test.each(['sync', 'adopted'] as const)(
  'a change has the origin %s, and a deletion is applied once',
  async (origin) => {
    const causes: Cause[] = []
    const catalog = sampleCatalog()
    catalog.subscribe({ changed: (_change, cause) => void causes.push(cause) })
    const replication =
      origin === 'sync' ? createReplicationService(catalog) : createReplicationService(catalog, origin)
    await replication.put(of('1.0.0'))
    expect([await replication.delete('a'), await replication.delete('a')]).toEqual([
      { kind: 'applied' },
      { kind: 'unchanged' },
    ])
    expect(causes).toEqual([{ origin }, { origin }])
  },
)

test.each<[text: string, outcome: object]>([
  ['{', { kind: 'refused', reason: expect.any(String) as string }],
  ['{"config":{},"config":{}}', { kind: 'refused', reason: expect.stringContaining('config') as string }],
])('the text %s is refused', async (text, expected) => {
  expect(await opened().replication.put({ name: 'a', version: '1.0.0', text })).toEqual(expected)
})

test('the text and all digits of its numbers are kept', async () => {
  const { catalog, replication } = opened()
  const text = documentOf('1.0.0').replace('"version"', '"defaults":{"a":9007199254740993},"version"')
  expect(await replication.put({ name: 'a', version: '1.0.0', text })).toEqual({ kind: 'applied' })
  const kept = catalog.get('a')
  expect.assert(kept !== undefined)
  expect([kept.text, catalog.rulesetOf(kept).config.defaults.get('a')]).toEqual([text, 9_007_199_254_740_993n])
})

test.each<[code: StoreErrorCode, kind: string]>([
  ['conflict', 'refused'],
  ['too-large', 'refused'],
  ['invalid-name', 'refused'],
  ['disk', 'failed'],
  ['closed', 'failed'],
])('a store that fails with %s has the outcome `%s`: a retry helps or not', async (code, kind) => {
  expect(await outcome(Promise.reject(new StoreError(code, 'why')))).toEqual({ kind, reason: 'why' })
})

test('a defect is none of the outcomes', async () => {
  await expect(outcome(Promise.reject(new TypeError('oops')))).rejects.toThrow('oops')
})
