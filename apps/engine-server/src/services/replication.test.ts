import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../store/memory.ts'
import { createReplicationService } from './replication.ts'

const documentOf = (version: string) =>
  JSON.stringify({
    config: { name: 'a', version },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '' } } },
  })

const of = (version: string) => ({ name: 'a', version, text: documentOf(version) })

function opened() {
  const store = createMemoryStore()
  const replication = createReplicationService({
    store,
    programs: {
      decode: async (document: Value) => decodeRuleset(document),
      decoded: () => {},
    } as unknown as Parameters<typeof createReplicationService>[0]['programs'],
    admit: (document) => document,
    events: { created: async () => {}, updated: async () => {}, deleted: async () => {} },
  })
  return { store, replication }
}

test('what was decoded while a newer change came is not stored over it', async () => {
  const { store, replication } = opened()
  let isWanted = true
  const old = replication.put(of('1.0.0'), () => isWanted)
  // The change is there before the decoding, which lets others have their turn, is over.
  isWanted = false
  expect(await old).toEqual({ kind: 'unchanged' })
  expect(store.get('a')).toBeUndefined()
})

test.each([
  [
    'another version than it holds',
    { ...of('1.0.0'), version: '2.0.0' },
    'it is announced as `2.0.0`, and holds `1.0.0`',
  ],
  ['another name than it holds', { ...of('1.0.0'), name: 'b' }, 'it holds the ruleset `a`'],
])('what is announced under %s is refused', async (_what, ruleset, reason) => {
  const { store, replication } = opened()
  expect(await replication.put(ruleset)).toEqual({ kind: 'refused', reason })
  expect([...store.list()]).toEqual([])
})

test('what is wanted is stored once', async () => {
  const { store, replication } = opened()
  expect(await replication.put(of('1.0.0'), () => true)).toEqual({ kind: 'applied' })
  expect(await replication.put(of('1.0.0'))).toEqual({ kind: 'unchanged' })
  expect(store.get('a')?.version).toBe('1.0.0')
})
