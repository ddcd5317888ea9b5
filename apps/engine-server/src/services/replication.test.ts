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

function opened() {
  const store = createMemoryStore()
  const replication = createReplicationService({
    store,
    programs: {
      decode: async (document: Value) => decodeRuleset(document),
      changed: () => {},
      changedTo: () => {},
    } as unknown as Parameters<typeof createReplicationService>[0]['programs'],
    admit: (document) => document,
    events: { created: async () => {}, updated: async () => {}, deleted: async () => {} },
  })
  return { store, replication }
}

test('a change decoded while a newer one arrived is not stored over it', async () => {
  const { store, replication } = opened()
  let isWanted = true
  const old = replication.put('a', documentOf('1.0.0'), () => isWanted)
  // The change is there before the decoding, which lets others have their turn, is over.
  isWanted = false
  expect(await old).toEqual({ kind: 'unchanged' })
  expect(store.get('a')).toBeUndefined()
})

test('an expected change is stored once', async () => {
  const { store, replication } = opened()
  expect(await replication.put('a', documentOf('1.0.0'), () => true)).toEqual({ kind: 'applied' })
  expect(await replication.put('a', documentOf('1.0.0'))).toEqual({ kind: 'unchanged' })
  expect(store.get('a')?.version).toBe('1.0.0')
})
