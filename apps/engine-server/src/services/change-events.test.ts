import { expect, test } from 'vitest'
import type { Cause, Change } from '../catalog/change-feed.ts'
import { sample } from '../store/store.testing.ts'
import type { StoredRuleset } from '../store/store.ts'
import { reportChanges } from './change-events.ts'

const ADA = { token: 'ada', address: '127.0.0.1', requestId: 'r-1' }
const [one, two] = [sample('a', '1'), sample('a', '2')]
const put: Change = { kind: 'put', ruleset: two }

function subscriber(fails = false) {
  const told: unknown[] = []
  const note = (kind: string) => async (rule: object, by?: object) => {
    told.push([kind, rule, by])
    if (fails) throw new Error('the audit is full')
  }
  return {
    told,
    ...reportChanges({
      created: note('created'),
      updated: note('updated'),
      deleted: note('deleted'),
      rolledBack: note('rolled back'),
    }),
  }
}

interface Row {
  readonly what: string
  readonly change: Change
  readonly cause: Cause
  readonly previous?: StoredRuleset
  readonly told: readonly unknown[]
}

test.each([
  {
    what: 'a new ruleset',
    change: put,
    cause: { origin: 'api', by: ADA },
    told: ['created', { name: 'a', version: '2' }, ADA],
  },
  {
    what: 'a changed one',
    change: put,
    cause: { origin: 'api', by: ADA },
    previous: one,
    told: ['updated', { name: 'a', from: '1', to: '2' }, ADA],
  },
  {
    what: 'a version that came back',
    change: put,
    cause: { origin: 'rollback', seq: 3, by: ADA },
    previous: one,
    told: ['rolled back', { name: 'a', from: '1', to: '2', seq: 3 }, ADA],
  },
  {
    what: 'a deleted one',
    change: { kind: 'deleted', name: 'a' },
    cause: { origin: 'api', by: ADA },
    previous: one,
    told: ['deleted', { name: 'a', version: '1' }, ADA],
  },
  {
    what: 'a changed file',
    change: put,
    cause: { origin: 'watch' },
    previous: one,
    told: ['updated', { name: 'a', from: '1', to: '2' }, undefined],
  },
  {
    what: 'a change of the writer',
    change: put,
    cause: { origin: 'sync' },
    told: ['created', { name: 'a', version: '2' }, undefined],
  },
] satisfies Row[])('$what is reported', async ({ change, cause, previous, told }: Row) => {
  const events = subscriber()
  await events.changed(change, cause, previous)
  expect(events.told).toEqual([told])
})

test.each<{ cause: Cause; fails: boolean }>([
  { cause: { origin: 'api' }, fails: true },
  { cause: { origin: 'rollback', seq: 1 }, fails: true },
  { cause: { origin: 'watch' }, fails: false },
  { cause: { origin: 'sync' }, fails: false },
])('a failing audit fails a request and nothing else: $cause.origin', async ({ cause, fails }) => {
  const outcome = await Promise.resolve(subscriber(true).changed(put, cause, one)).then(
    () => false,
    () => true,
  )
  expect(outcome).toBe(fails)
})
