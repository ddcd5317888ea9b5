import { describe, expect, test } from 'vitest'
import { policies as texts } from '../texts/en/policies.ts'
import { type Policy, requestOf, requirementsOf, valuesOf } from './policy.ts'

const strict: Policy = {
  id: 'p',
  created_at: '',
  created_by: '',
  updated_at: '',
  rev: 1,
  name: 'Four eyes',
  priority: 10,
  enabled: true,
  match: { environments: ['prod'] },
  approvers: { min_count: 2, roles: ['admin', 'risk'], exclude_authors: true },
  auto_run_tests: true,
  require_contract_mode: 'enforce',
  forbid: ['DENY->ALLOW', '*->ERROR'],
  max_changed: 2.5,
  require_coverage: { branches: 100, mutants: 80 },
  freeze_window: { cron: '0 16 * * 5', duration: '64h', time_zone: 'Europe/Berlin' },
}

describe('a release rule', () => {
  test('is read as phrases', () => {
    expect(requirementsOf(strict, texts)).toEqual([
      '2 approvals by admin or risk, not by authors',
      'saved tests pass',
      'the contract is enforced',
      'proof that no decision changes from DENY->ALLOW',
      'proof that no decision changes from *->ERROR',
      'at most 2.5 % of recorded decisions change',
      'tests cover 100 % of branches',
      'tests cover 80 % of mutants',
      'a time outside of the freeze windows',
    ])
  })

  test('goes through its form unchanged', () => {
    const { id: _, created_at: _at, created_by: _by, updated_at: _updated, rev: _rev, ...settings } = strict
    expect(requestOf(valuesOf(strict, 'UTC'))).toEqual(settings)
  })

  test('of an empty form has the usual settings, and no window', () => {
    expect(requestOf({ ...valuesOf(undefined, 'Asia/Shanghai'), name: 'new' })).toEqual({
      name: 'new',
      priority: 0,
      enabled: true,
      match: { environments: [] },
      approvers: { min_count: 1, roles: [], exclude_authors: true },
      auto_run_tests: true,
      require_contract_mode: null,
      forbid: [],
      max_changed: null,
      require_coverage: null,
      freeze_window: null,
    })
  })
})
