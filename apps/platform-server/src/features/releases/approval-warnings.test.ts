import { expect, test } from 'vitest'
import { ROLE_ACTIONS } from '../../access/actions.ts'
import { approvalWarnings } from './approval-warnings.ts'
import type { Requirement } from './approvals.ts'
import { stageWarnings } from './stage-warnings.ts'

const admin = { roles: new Set(['admin']), actions: new Set(ROLE_ACTIONS.admin) }
const HOLDERS = new Map([
  ['ann', admin],
  ['bob', admin],
])
const needs = (more: Partial<Requirement> = {}): Requirement => ({
  environment_id: 'e1',
  policy_id: 'p',
  min_count: 1,
  roles: [],
  exclude_authors: false,
  ...more,
})

test.each<[title: string, requirement: Requirement, authors: readonly string[], expected: string | undefined]>([
  ['enough members', needs({ min_count: 2 }), ['ann'], undefined],
  ['one too few', needs({ min_count: 3 }), [], '`prod` needs 3 approvals, but only 2 members can give one'],
  [
    'nobody',
    needs({ roles: ['risk', 'legal'] }),
    [],
    '`prod` needs 1 approval by `risk` or `legal`, but nobody in this organization can give one',
  ],
  [
    'authors excluded',
    needs({ min_count: 2, exclude_authors: true }),
    ['ann'],
    '`prod` needs 2 approvals, not by authors of the release, but only 1 member can give one',
  ],
  [
    'a contract that breaks',
    needs({ environment_id: null, roles: ['owner'] }),
    [],
    'a breaking contract needs 1 approval by `owner`, but nobody in this organization can give one',
  ],
  [
    'an environment without a name',
    needs({ environment_id: 'e2', roles: ['risk'] }),
    [],
    '`e2` needs 1 approval by `risk`, but nobody in this organization can give one',
  ],
])('approvals that current members cannot give: %s', (_title, requirement, authors, expected) => {
  const approval = { authors: new Set(authors), holders: HOLDERS }
  const [warning] = approvalWarnings([requirement], approval, new Map([['e1', 'prod']]))
  expect(warning?.message).toBe(expected)
  if (warning !== undefined)
    expect(warning).toMatchObject({
      path: requirement.environment_id === null ? '/acknowledge_breaking' : '/environments',
      code: 'approvals_impossible',
      severity: 'warning',
    })
})

test.each<[durations: readonly number[], expected: string | undefined]>([
  [[], undefined],
  [[60], undefined],
  [[59], 'the first stage of the canary in `prod` has no guard of latency'],
  [[59, 60], 'the first stage of the canary in `prod` has no guard of latency'],
  [[59, 59, 60], 'the first 2 stages of the canary in `prod` have no guard of latency'],
  [[60, 59], undefined],
])('stages of %j seconds that end before latencies are measured', (durations, expected) => {
  const canary = { stages: durations.map((duration_s) => ({ percent: 10, duration_s, min_requests: 0 })) }
  const environment = { name: 'prod', canary } as unknown as Parameters<typeof stageWarnings>[0][number]
  expect(stageWarnings([environment])[0]?.message.split(':')[0]).toBe(expected)
})
