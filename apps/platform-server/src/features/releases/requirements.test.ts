import { describe, expect, test } from 'vitest'
import type { PolicyRow } from '../release-policies/repository.ts'
import { askedBy } from './requirements.ts'

const PROD = { id: 'prod', requires_release: true }
const DEV = { id: 'dev', requires_release: false }

const policy = (more: Partial<PolicyRow> = {}): PolicyRow =>
  ({
    id: 'p',
    environments: [],
    min_count: 2,
    roles: ['risk'],
    exclude_authors: true,
    auto_run_tests: false,
    require_contract_mode: null,
    forbid: [],
    max_changed: null,
    require_coverage: null,
    ...more,
  }) as PolicyRow
const OF_PROD = policy({ id: 'of-prod', environments: ['prod'], min_count: 1, roles: [], exclude_authors: false })
const OWNERS = { environment_id: null, policy_id: null, min_count: 1, roles: ['owner'], exclude_authors: false }
const one = (environment_id: string) => ({ ...OWNERS, environment_id, roles: [] })
const byPolicy = (environment_id: string) => ({ ...policyNeeds(), environment_id })
const policyNeeds = () => ({ policy_id: 'p', min_count: 2, roles: ['risk'], exclude_authors: true })

describe('approvals that a release needs', () => {
  test.each<[title: string, policies: readonly PolicyRow[], isBreaking: boolean, expected: readonly unknown[]]>([
    ['one where the environment requires releases', [], false, [one('prod')]],
    ['an owner as well where a contract breaks', [], true, [one('prod'), OWNERS]],
    ['those of a policy for every environment', [policy()], false, [byPolicy('prod'), byPolicy('dev')]],
    [
      'an owner besides a policy where a contract breaks',
      [policy()],
      true,
      [byPolicy('prod'), byPolicy('dev'), OWNERS],
    ],
    [
      'those of the first policy that matches',
      [OF_PROD, policy()],
      false,
      [{ ...one('prod'), policy_id: 'of-prod' }, byPolicy('dev')],
    ],
    [
      'those of the first policy even where it asks for less',
      [policy(), OF_PROD],
      false,
      [byPolicy('prod'), byPolicy('dev')],
    ],
    ['one where no policy matches', [policy({ environments: ['dev'] })], false, [one('prod'), byPolicy('dev')]],
  ])('%s', (_title, policies, isBreaking, expected) => {
    expect(askedBy(policies, [PROD, DEV], isBreaking).requirements).toEqual(expected)
  })

  test('none where no environment requires releases', () => {
    expect(askedBy([], [DEV], false).requirements).toEqual([])
  })
})

describe('attached tests are run', () => {
  const [runs, idle] = [policy({ auto_run_tests: true }), policy()]
  test.each<[title: string, policies: readonly PolicyRow[], expected: boolean]>([
    ['without a policy', [], true],
    ['where a policy asks for it', [runs], true],
    ['where any policy that matches asks for it', [idle, runs], true],
    ['not where no policy asks for it', [idle], false],
    ['where the policies are of other environments', [policy({ environments: ['test'] })], true],
    ['not where the policy that asks is of another environment', [idle, { ...runs, environments: ['test'] }], false],
  ])('%s', (_title, policies, expected) => {
    expect(askedBy(policies, [PROD, DEV], false).runsTests).toBe(expected)
  })
})

describe('the deciding policy alone requires', () => {
  const ofDev = { environments: ['dev'] }
  test.each<[title: string, policies: readonly PolicyRow[], modes: readonly unknown[], behaviors: readonly unknown[]]>([
    ['nothing where it asks for nothing', [policy()], [], []],
    [
      'a contract mode',
      [policy({ ...ofDev, require_contract_mode: 'warn' })],
      [{ environmentId: 'dev', mode: 'warn' }],
      [],
    ],
    [
      'no transition',
      [policy({ ...ofDev, forbid: ['DENY->ALLOW'] })],
      [],
      [{ environmentId: 'dev', forbid: ['DENY->ALLOW'], maxChanged: null, coverage: null }],
    ],
    [
      'that nothing changes',
      [policy({ ...ofDev, max_changed: 0 })],
      [],
      [{ environmentId: 'dev', forbid: [], maxChanged: 0, coverage: null }],
    ],
    [
      'coverage',
      [policy({ ...ofDev, require_coverage: { branches: 80 } })],
      [],
      [{ environmentId: 'dev', forbid: [], maxChanged: null, coverage: { branches: 80 } }],
    ],
    [
      'nothing that a later policy asks for',
      [policy(), policy({ forbid: ['A->B'], require_contract_mode: 'enforce' })],
      [],
      [],
    ],
  ])('%s', (_title, policies, modes, behaviors) => {
    const { contractModes, behaviors: required } = askedBy(policies, [PROD, DEV], false)
    expect([contractModes, required]).toEqual([modes, behaviors])
  })
})
