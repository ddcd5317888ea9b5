import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../store/memory.ts'
import { sample } from '../store/store.testing.ts'
import { tenantOf } from '../tenants/tenant.ts'
import type { Question } from './messages.ts'
import { createReplicas } from './replicas.ts'

function told() {
  const questions: Question[] = []
  const deleted: string[] = []
  const replicas = createReplicas(
    async (question) => void questions.push(question),
    (name, tenant) => deleted.push(`${tenant}/${name}`),
  )
  return { questions, deleted, replicas }
}

test('changes are told in their order, and the snapshot has what is stored', async () => {
  const { questions, deleted, replicas } = told()
  const { store, shown } = replicas.follow(createMemoryStore(), undefined)
  await Promise.all([store.put(sample('a', '1.0.0')), store.put(sample('a', '2.0.0')), store.put(sample('b', '1.0.0'))])
  await store.delete('b')
  expect(questions.flatMap((question) => (question.kind === 'change' ? [question.change] : []))).toEqual([
    { kind: 'put', ruleset: sample('a', '1.0.0') },
    { kind: 'put', ruleset: sample('b', '1.0.0') },
    { kind: 'put', ruleset: sample('a', '2.0.0') },
    { kind: 'deleted', name: 'b' },
  ])
  expect([...shown.list()]).toEqual([sample('a', '2.0.0')])
  expect(deleted).toEqual(['undefined/b'])
  expect(replicas.snapshot()).toEqual({
    tenants: undefined,
    stored: [{ tenant: undefined, rulesets: [sample('a', '2.0.0')] }],
  })
})

test('a tenant that is new brings what is stored; one that is gone takes it along', async () => {
  const { questions, replicas } = told()
  const { store } = replicas.follow(createMemoryStore(), 'a')
  await store.put(sample('r', '1.0.0'))
  await replicas.tenantsChanged([tenantOf('a', {})])
  replicas.follow(createMemoryStore(), 'b')
  await replicas.tenantsChanged([tenantOf('b', {})])
  expect(questions.flatMap((question) => (question.kind === 'tenants' ? [question.opened] : []))).toEqual([
    [{ tenant: 'a', rulesets: [sample('r', '1.0.0')] }],
    [{ tenant: 'b', rulesets: [] }],
  ])
  expect(replicas.snapshot().stored).toEqual([{ tenant: 'b', rulesets: [] }])
})

test('a change is shown when all workers have it, and acknowledged when all of them show it', async () => {
  const steps: string[] = []
  const answers: (() => void)[] = []
  const replicas = createReplicas(
    (question) => {
      steps.push(question.kind)
      return new Promise((resolve) => answers.push(resolve))
    },
    () => {},
  )
  const { store, shown } = replicas.follow(createMemoryStore(), undefined)
  const done = store.put(sample('a', '1.0.0')).then(() => steps.push('acknowledged'))
  await vi.waitFor(() => expect(steps).toEqual(['change']))
  expect([store.get('a')?.version, shown.get('a')]).toEqual(['1.0.0', undefined])
  answers.shift()?.()
  await vi.waitFor(() => expect(steps).toEqual(['change', 'shown']))
  expect(shown.get('a')).toBe(store.get('a'))
  answers.shift()?.()
  await done
  expect(steps).toEqual(['change', 'shown', 'acknowledged'])
})
