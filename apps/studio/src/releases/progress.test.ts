import { expect, test } from 'vitest'
import { progressOf, waitingFor } from './progress.ts'

const environments = ['dev', 'staging', 'prod']

test.each([
  ['pending_approval', undefined, ['next', 'next', 'next']],
  ['executing', null, ['next', 'next', 'next']],
  ['executing', 'staging', ['live', 'running', 'next']],
  ['paused', 'prod', ['live', 'live', 'running']],
  ['completed', null, ['live', 'live', 'live']],
  ['rolled_back', null, ['next', 'next', 'next']],
] as const)('a release that is %s, at %s, is %j', (status, at, states) => {
  const progress = progressOf({ environments, status }, at)
  expect(progress.map(({ environment }) => environment)).toEqual(environments)
  expect(progress.map(({ state }) => state)).toEqual(states)
})

const requirement = {
  environment: 'prod',
  policy_id: null,
  min_count: 2,
  roles: ['owner', 'Risk officer'],
  exclude_authors: true,
  approved_by: ['ana'],
  satisfied: false,
}

test.each([
  ['pending_approval', ['approve'], { kind: 'you' }],
  ['pending_approval', [], { kind: 'approval', missing: 1, roles: ['owner', 'Risk officer'] }],
  ['approved', ['execute'], { kind: 'start' }],
  ['paused', ['resume'], { kind: 'decision' }],
  ['executing', ['pause'], undefined],
  ['completed', ['rollback'], undefined],
] as const)('a release that is %s, with %j, waits for %j', (status, allowed, waiting) => {
  expect(waitingFor({ status, allowed: [...allowed], requirements: [requirement] })).toEqual(waiting)
})
