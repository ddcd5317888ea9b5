import { expect, test, vi } from 'vitest'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import { sample } from '../store/store.testing.ts'
import { tenantOf } from '../tenants/tenant.ts'
import type { Question } from './messages.ts'
import { createReplicaFeed, type ReplicaFeed } from './replica-feed.ts'

const API = { origin: 'api' } as const

function followed(feed: ReplicaFeed, tenant: string | undefined) {
  const catalog = sampleCatalog()
  return { catalog, shown: feed.subscribe(catalog, tenant) }
}

function told() {
  const questions: Question[] = []
  const deleted: string[] = []
  const feed = createReplicaFeed(
    async (question) => void questions.push(question),
    (name, tenant) => deleted.push(`${tenant}/${name}`),
  )
  return { questions, deleted, feed }
}

test('changes are sent in order, and the snapshot contains the stored rulesets', async () => {
  const { questions, deleted, feed } = told()
  const { catalog, shown } = followed(feed, undefined)
  await Promise.all([
    catalog.put(sample('a', '1.0.0'), API),
    catalog.put(sample('a', '2.0.0'), API),
    catalog.put(sample('b', '1.0.0'), API),
  ])
  await catalog.delete('b', API)
  expect(questions.flatMap((question) => (question.kind === 'change' ? [question.change] : []))).toEqual([
    { kind: 'put', ruleset: sample('a', '1.0.0') },
    { kind: 'put', ruleset: sample('b', '1.0.0') },
    { kind: 'put', ruleset: sample('a', '2.0.0') },
    { kind: 'deleted', name: 'b' },
  ])
  expect([...shown.list()]).toEqual([sample('a', '2.0.0')])
  expect(deleted).toEqual(['undefined/b'])
  expect(feed.snapshot()).toEqual({
    tenants: undefined,
    stored: [{ tenant: undefined, rulesets: [sample('a', '2.0.0')] }],
  })
})

test('a new tenant brings its stored rulesets; a deleted one removes them', async () => {
  const { questions, feed } = told()
  const { catalog } = followed(feed, 'a')
  await catalog.put(sample('r', '1.0.0'), API)
  await feed.tenantsSubscriber.changed({ list: [tenantOf('a', {})], text: '' }, 'api')
  followed(feed, 'b')
  await feed.tenantsSubscriber.changed({ list: [tenantOf('b', {})], text: '' }, 'api')
  expect(questions.flatMap((question) => (question.kind === 'tenants' ? [question.opened] : []))).toEqual([
    [{ tenant: 'a', rulesets: [sample('r', '1.0.0')] }],
    [{ tenant: 'b', rulesets: [] }],
  ])
  expect(feed.snapshot().stored).toEqual([{ tenant: 'b', rulesets: [] }])
})

test('a change is shown when all workers have it, and acknowledged when all of them show it', async () => {
  const steps: string[] = []
  const answers: (() => void)[] = []
  const feed = createReplicaFeed(
    (question) => {
      steps.push(question.kind)
      return new Promise((resolve) => answers.push(resolve))
    },
    () => {},
  )
  const { catalog, shown } = followed(feed, undefined)
  const done = catalog.put(sample('a', '1.0.0'), API).then(() => steps.push('acknowledged'))
  await vi.waitFor(() => expect(steps).toEqual(['change']))
  expect([catalog.get('a')?.version, shown.get('a')]).toEqual(['1.0.0', undefined])
  answers.shift()?.()
  await vi.waitFor(() => expect(steps).toEqual(['change', 'shown']))
  expect(shown.get('a')).toBe(catalog.get('a'))
  answers.shift()?.()
  await done
  expect(steps).toEqual(['change', 'shown', 'acknowledged'])
})
