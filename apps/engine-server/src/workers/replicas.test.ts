import { expect, test } from 'vitest'
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

test('changes are sent in their order, and the snapshot has the stored content', async () => {
  const { questions, deleted, replicas } = told()
  const store = replicas.follow(createMemoryStore(), undefined)
  await Promise.all([store.put(sample('a', '1.0.0')), store.put(sample('a', '2.0.0')), store.put(sample('b', '1.0.0'))])
  await store.delete('b')
  expect(questions.map((question) => question.kind === 'change' && question.change)).toEqual([
    { kind: 'put', ruleset: sample('a', '1.0.0') },
    { kind: 'put', ruleset: sample('b', '1.0.0') },
    { kind: 'put', ruleset: sample('a', '2.0.0') },
    { kind: 'deleted', name: 'b' },
  ])
  expect(deleted).toEqual(['undefined/b'])
  expect(replicas.snapshot()).toEqual({
    tenants: undefined,
    stored: [{ tenant: undefined, rulesets: [sample('a', '2.0.0')] }],
  })
})

test('a new tenant brings its rulesets; a deleted one removes them', async () => {
  const { questions, replicas } = told()
  const store = replicas.follow(createMemoryStore(), 'a')
  await store.put(sample('r', '1.0.0'))
  await replicas.tenantsChanged([tenantOf('a', {})])
  replicas.follow(createMemoryStore(), 'b')
  await replicas.tenantsChanged([tenantOf('b', {})])
  expect(questions.slice(1).map((question) => question.kind === 'tenants' && question.opened)).toEqual([
    [{ tenant: 'a', rulesets: [sample('r', '1.0.0')] }],
    [{ tenant: 'b', rulesets: [] }],
  ])
  expect(replicas.snapshot().stored).toEqual([{ tenant: 'b', rulesets: [] }])
})
