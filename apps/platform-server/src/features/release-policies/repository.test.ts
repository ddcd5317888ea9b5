import { expect, test } from 'vitest'
import { matches, policyFor, policyOf, type PolicyRow } from './repository.ts'

const ROW = {
  id: 'p',
  rev: 3,
  name: 'night',
  priority: 5,
  enabled: true,
  environments: ['e1', 'e2'],
  min_count: 2,
  roles: ['risk'],
  exclude_authors: true,
  auto_run_tests: false,
  require_contract_mode: 'warn',
  forbid: ['A->B'],
  max_changed: 2,
  require_coverage: { branches: 80 },
  freeze_window: { cron: '0 18 * * 5', duration: '2h' },
  created_at: new Date(0),
  updated_at: new Date(1),
  created_by: 'u',
} as unknown as PolicyRow

test.each<[environments: string[], environment: string, expected: boolean]>([
  [[], 'e1', true],
  [['e1'], 'e1', true],
  [['e1', 'e2'], 'e2', true],
  [['e1'], 'e2', false],
])('a policy of %j applies in %s: %s', (environments, environment, expected) => {
  expect(matches({ environments }, environment)).toBe(expected)
})

test('the first policy that applies decides', () => {
  const [one, all] = [{ environments: ['e1'] }, { environments: [] }]
  expect([policyFor([one, all], 'e1'), policyFor([one, all], 'e2'), policyFor([one], 'e2')]).toEqual([
    one,
    all,
    undefined,
  ])
})

test('a policy shows environments by their names, and its approvers together', () => {
  expect(policyOf(ROW, new Map([['e1', 'prod']]))).toMatchObject({
    id: 'p',
    rev: 3,
    name: 'night',
    priority: 5,
    enabled: true,
    match: { environments: ['prod', 'e2'] },
    approvers: { min_count: 2, roles: ['risk'], exclude_authors: true },
    auto_run_tests: false,
    require_contract_mode: 'warn',
    forbid: ['A->B'],
    max_changed: 2,
    require_coverage: { branches: 80 },
    freeze_window: { cron: '0 18 * * 5', duration: '2h' },
  })
})
