import { parseJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import type { Cause, Change } from '../catalog/change-feed.ts'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import { bareDigest } from '../catalog/content-digest.ts'
import type { Requester } from '../requester.ts'
import { createDeliveryService } from './delivery.ts'
import { documentOf } from './services.testing.ts'

const PLATFORM: Requester = { token: 'platform', address: '10.0.0.1', requestId: 'r-1' }
const textOf = (name: string, condition = 'a == 1') => JSON.stringify(documentOf({ name, condition }))
const WRONG = { kind: 'failed', reason: 'the platform sent a content with another digest' }

function documentIn(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'document' })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  return parsed.value
}

async function digestOf(text: string): Promise<string> {
  const catalog = sampleCatalog()
  const { ruleset } = await catalog.admit(documentIn(text), 'platform', { text })
  return bareDigest(ruleset)
}

/** A service, and the changes that its catalog has announced. */
function service() {
  const catalog = sampleCatalog()
  const changes: (readonly [kind: Change['kind'], cause: Cause])[] = []
  catalog.subscribe({ changed: (change, cause) => void changes.push([change.kind, cause]) })
  return { catalog, changes, delivery: createDeliveryService(catalog) }
}

test('a delivered content is stored once, under the name of its requester', async () => {
  const { catalog, changes, delivery } = service()
  const text = textOf('a')
  const content = { name: 'a', digest: await digestOf(text), text }
  expect(await delivery.put(content, PLATFORM)).toEqual({ kind: 'applied' })
  expect(await delivery.put({ ...content, text: 'no JSON' }, PLATFORM)).toEqual({ kind: 'unchanged' })
  expect(catalog.get('a')?.text).toBe(text)
  expect(changes).toEqual([['put', { origin: 'platform', by: PLATFORM }]])
  expect([await delivery.digest('a'), await delivery.digest('b')]).toEqual([content.digest, undefined])
})

test('a deleted ruleset is deleted once', async () => {
  const { changes, delivery } = service()
  const text = textOf('a')
  await delivery.put({ name: 'a', digest: await digestOf(text), text }, PLATFORM)
  changes.length = 0
  expect(await delivery.delete('a', PLATFORM)).toEqual({ kind: 'applied' })
  expect(await delivery.delete('a', PLATFORM)).toEqual({ kind: 'unchanged' })
  expect(changes).toEqual([['deleted', { origin: 'platform', by: PLATFORM }]])
})

test.each<[what: string, name: string, text: string, outcome: object]>([
  ['of another digest', 'a', textOf('a', 'a == 2'), WRONG],
  ['that is no JSON', 'a', '{', WRONG],
  ['with a key twice', 'a', textOf('a').replace('{', '{"steps":{},'), WRONG],
  ['that is no object', 'a', '[]', WRONG],
  ['of another name', 'b', textOf('a'), { kind: 'refused', reason: 'it holds the ruleset `a`' }],
])('a content %s is not stored', async (_what, name, text, outcome) => {
  const { catalog, delivery } = service()
  expect(await delivery.put({ name, digest: await digestOf(textOf('a')), text }, PLATFORM)).toEqual(outcome)
  expect([...catalog.list()]).toEqual([])
})

test('a content is stored with all digits of its numbers', async () => {
  const { catalog, delivery } = service()
  const text = textOf('a', 'a == $x').replace(
    '"version"',
    '"defaults":{"a":9007199254740993},"field_missing":"default","version"',
  )
  expect(await delivery.put({ name: 'a', digest: await digestOf(text), text }, PLATFORM)).toEqual({ kind: 'applied' })
  expect(catalog.get('a')?.text).toBe(text)
})
