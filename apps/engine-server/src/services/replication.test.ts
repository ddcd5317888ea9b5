import { expect, test } from 'vitest'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import { createReplicationService } from './replication.ts'

const documentOf = (version: string) =>
  JSON.stringify({
    config: { name: 'a', version },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '' } } },
  })

function opened() {
  const catalog = sampleCatalog()
  return { catalog, replication: createReplicationService(catalog) }
}

test('what was decoded while a newer change came is not stored over it', async () => {
  const { catalog, replication } = opened()
  let isWanted = true
  const old = replication.put('a', documentOf('1.0.0'), () => isWanted)
  // The change is there before the decoding, which lets others have their turn, is over.
  isWanted = false
  expect(await old).toEqual({ kind: 'unchanged' })
  expect(catalog.get('a')).toBeUndefined()
})

test('what is wanted is stored once', async () => {
  const { catalog, replication } = opened()
  expect(await replication.put('a', documentOf('1.0.0'), () => true)).toEqual({ kind: 'applied' })
  expect(await replication.put('a', documentOf('1.0.0'))).toEqual({ kind: 'unchanged' })
  expect(catalog.get('a')?.version).toBe('1.0.0')
})
