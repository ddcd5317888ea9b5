import { describe, expect, test } from 'vitest'
import type { PolicyChange } from './model.ts'
import { changedSettings, DEFAULTS, type PolicySettings, settingsIn } from './policy-settings.ts'
import type { PolicyRow } from './repository.ts'

const [DEV, PROD] = ['018f0000-0000-7000-8000-00000000000a', '018f0000-0000-7000-8000-00000000000b']
const NAMES = new Map([
  [DEV, 'dev'],
  [PROD, 'prod'],
])

const WINDOW = { cron: '0 18 * * 5', duration: '62h' }

/** Each member differs from its default. */
const STRICT: PolicySettings = {
  priority: 5,
  enabled: false,
  environments: [PROD],
  min_count: 2,
  roles: ['risk'],
  exclude_authors: true,
  auto_run_tests: false,
  require_contract_mode: 'enforce',
  forbid: ['DENY->ALLOW'],
  max_changed: 2.5,
  require_coverage: '{"branches":90}',
  freeze_window: JSON.stringify(WINDOW),
}

describe('a policy', () => {
  test('has defaults that require one approval by anyone who may approve, in all environments', () => {
    expect(changedSettings(DEFAULTS, {}, NAMES)).toEqual({
      priority: 0,
      enabled: true,
      environments: [],
      min_count: 1,
      roles: [],
      exclude_authors: false,
      auto_run_tests: true,
      require_contract_mode: null,
      forbid: [],
      max_changed: null,
      require_coverage: null,
      freeze_window: null,
    })
  })

  test('keeps what a request omits', () => {
    expect(changedSettings(STRICT, {}, NAMES)).toEqual(STRICT)
    expect(changedSettings(STRICT, { approvers: {} }, NAMES)).toEqual(STRICT)
  })

  test.each<readonly [string, PolicyChange, Partial<PolicySettings>]>([
    ['its priority, also to 0', { priority: 0 }, { priority: 0 }],
    ['whether it is enabled', { enabled: true }, { enabled: true }],
    ['its environments by name', { match: { environments: ['dev'] } }, { environments: [DEV] }],
    ['its environments by id, in any case', { match: { environments: [DEV.toUpperCase()] } }, { environments: [DEV] }],
    ['its environments, each once', { match: { environments: ['dev', DEV, 'prod'] } }, { environments: [DEV, PROD] }],
    ['its environments to all', { match: { environments: [] } }, { environments: [] }],
    ['the number of approvals, also to none', { approvers: { min_count: 0 } }, { min_count: 0 }],
    ['the roles, each once', { approvers: { roles: ['a', 'b', 'a'] } }, { roles: ['a', 'b'] }],
    ['the roles to none', { approvers: { roles: [] } }, { roles: [] }],
    ['whether authors count', { approvers: { exclude_authors: false } }, { exclude_authors: false }],
    ['whether tests run', { auto_run_tests: true }, { auto_run_tests: true }],
    ['the mode of contracts', { require_contract_mode: 'warn' }, { require_contract_mode: 'warn' }],
    ['the mode of contracts to any', { require_contract_mode: null }, { require_contract_mode: null }],
    [
      'forbidden changes, each once, in one form',
      { forbid: [' A -> B', 'A->B', '*->C'] },
      { forbid: ['A->B', '*->C'] },
    ],
    ['forbidden changes to none', { forbid: [] }, { forbid: [] }],
    ['the share of changed decisions, also to 0', { max_changed: 0 }, { max_changed: 0 }],
    ['the share of changed decisions to any', { max_changed: null }, { max_changed: null }],
    ['the coverage', { require_coverage: { mutants: 50 } }, { require_coverage: '{"mutants":50}' }],
    ['the coverage to any', { require_coverage: null }, { require_coverage: null }],
    [
      'the freeze window',
      { freeze_window: { ...WINDOW, time_zone: 'Europe/Berlin' } },
      { freeze_window: JSON.stringify({ ...WINDOW, time_zone: 'Europe/Berlin' }) },
    ],
    ['the freeze window to none', { freeze_window: null }, { freeze_window: null }],
  ])('changes %s, and nothing else', (_, request, changed) => {
    expect(changedSettings(STRICT, request, NAMES)).toEqual({ ...STRICT, ...changed })
  })

  test.each<readonly [string, PolicyChange, string]>([
    ['an environment of another project', { match: { environments: ['dev', 'stage'] } }, '/match/environments/1'],
    ['a change without its second code', { forbid: ['A->B', 'A-> '] }, '/forbid/1'],
    ['a change without its first code', { forbid: [' ->B'] }, '/forbid/0'],
    ['a window without a pattern', { freeze_window: { ...WINDOW, cron: '* *' } }, '/freeze_window/cron'],
    ['a window without a duration', { freeze_window: { ...WINDOW, duration: '1x' } }, '/freeze_window/duration'],
    ['an unknown time zone', { freeze_window: { ...WINDOW, time_zone: 'Mars/Base' } }, '/freeze_window/time_zone'],
  ])('refuses %s', (_, request, path) => {
    const refused = expect.objectContaining({ details: [expect.objectContaining({ path })] })
    expect(() => changedSettings(STRICT, request, NAMES)).toThrow(refused)
  })

  test('is read with its settings', () => {
    const row = { ...STRICT, require_coverage: { branches: 90 }, freeze_window: WINDOW, id: 'i', rev: 3 }
    expect(settingsIn(row as unknown as PolicyRow)).toEqual(STRICT)
    const none = { ...DEFAULTS, id: 'i', rev: 1 }
    expect(settingsIn(none as unknown as PolicyRow)).toEqual(DEFAULTS)
  })
})
