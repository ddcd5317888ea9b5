import { expect, test } from 'vitest'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import { createReplicationService } from './replication.ts'

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
