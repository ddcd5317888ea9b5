import { expect, test } from 'vitest'
import { effectsOf, toneOf } from './effects.ts'
import type { ReleaseDiff, ReplaySummary, ReviewedParts, TargetImpact } from './release-parts.ts'

const diff = (more: Partial<ReleaseDiff> = {}): ReleaseDiff => ({
  environment: 'prod',
  ruleset: 'fee',
  base: { version: '1.0.0', digest: 'd', release_id: null },
  removed: false,
  config: [],
  steps_added: [],
  steps_removed: [],
  steps_changed: [],
  branches_changed: [],
  sub_rules: [],
  contract: null,
  ...more,
})

const change = (from: string, to: string) => ({
  condition: 'amount > 1',
  before: from.startsWith('error:') ? { error: { code: from.slice(6), step: 's' } } : { code: from },
  after: to.startsWith('error:') ? { error: { code: to.slice(6), step: 's' } } : { code: to },
  witness: { input: {} },
})

const impact = (
  regions: TargetImpact['diff']['regions'],
  more: Partial<TargetImpact['diff']> = {},
  records: ReplaySummary | null = null,
): TargetImpact => ({
  environment: 'prod',
  ruleset: 'fee',
  base: { version: '1.0.0', digest: 'd', release_id: null },
  diff: {
    verdict: regions.length === 0 ? 'equivalent' : 'different',
    regions,
    only_adds: 'refuted',
    only_removes: 'refuted',
    no_new_failure: 'proved',
    unknown: [],
    truncated: false,
    ...more,
  },
  probes: { asked: 0, changed: 0 },
  records,
  gates: [],
})

const parts = (more: Partial<ReviewedParts>): ReviewedParts => ({
  isRollback: false,
  diffs: [diff()],
  impacts: [],
  rulesets: [],
  analyses: [],
  tests: null,
  ...more,
})

const bounded = {
  ruleset: 'fee',
  findings: [],
  questions: { proved: 1, refuted: 0, unknown: 0 },
  domain: 'contract',
  truncated: false,
  reason: null,
  coverage: null,
}

const failing = {
  total: 3,
  passed: 2,
  failed: 1,
  results: [],
  coverage: {
    steps: { covered: 0, total: 0, missing: [] },
    branches: { covered: 0, total: 0, missing: [] },
    rows: { covered: 0, total: 0, missing: [] },
  },
}

test.each([
  ['a proof that nothing changes', { impacts: [impact([])] }, ['none']],
  ['a first version', { diffs: [diff({ base: null })] }, ['first']],
  ['a release that was not analysed', {}, ['not_analysed']],
  ['a rollback, which is not analysed again', { isRollback: true }, ['returns']],
  [
    'the same in two environments, which is one effect',
    { diffs: [diff({}), diff({ environment: 'staging' })] },
    ['not_analysed'],
  ],
  ['a removal', { diffs: [diff({ removed: true })] }, ['removed']],
  ['other outputs', { impacts: [impact([change('A', 'A')])] }, ['other']],
  [
    'a failure that no contract rules out after codes, before repairs',
    { impacts: [impact([change('error:TYPE', 'A'), change('A', 'B'), change('B', 'error:TYPE')])] },
    ['code', 'may_fail', 'decided'],
  ],
  [
    'failures of inputs that the contract allows before codes',
    { analyses: [bounded], impacts: [impact([change('A', 'B'), change('B', 'error:TYPE')])] },
    ['fails', 'code'],
  ],
  [
    'an open question after known codes, before other outputs',
    { impacts: [impact([change('A', 'A'), change('A', 'B')], { unknown: [{ place: '/steps/0', reason: 'budget' }] })] },
    ['code', 'unknown', 'other'],
  ],
  ['a comparison that proved nothing', { impacts: [impact([], { verdict: 'unknown' })] }, ['unknown']],
  [
    'failing tests and a broken contract before another code',
    {
      tests: failing,
      diffs: [diff({ contract: { breaking: true, breaks: [{ path: '/x', message: 'm' }], bump: 'major' } })],
      impacts: [impact([change('A', 'B')])],
    },
    ['tests_fail', 'contract', 'code'],
  ],
] as const)('%s', (_name, more, kinds) => {
  expect(effectsOf(parts(more as unknown as Partial<ReviewedParts>)).map(({ kind }) => kind)).toEqual(kinds)
})

test('an effect on one ruleset stays apart from that on another, and names all environments', () => {
  const diffs = [
    diff({ removed: true }),
    diff({ environment: 'staging', removed: true }),
    diff({ ruleset: 'toll', removed: true }),
    diff({ ruleset: 'toll', environment: 'staging', base: null }),
  ]
  expect(effectsOf(parts({ diffs }))).toEqual([
    { kind: 'removed', ruleset: 'fee', environment: 'prod, staging' },
    { kind: 'removed', ruleset: 'toll', environment: 'prod' },
    { kind: 'first', ruleset: 'toll', environment: 'staging' },
  ])
})

test('the comparison of a ruleset is that of its environment', () => {
  const diffs = [diff(), diff({ environment: 'staging' }), diff({ ruleset: 'toll' })]
  const impacts = [impact([]), { ...impact([change('A', 'B')]), environment: 'staging' }]
  const kinds = effectsOf(parts({ diffs, impacts })).map((effect) => [
    effect.kind,
    'ruleset' in effect && effect.ruleset,
    'environment' in effect && effect.environment,
  ])
  expect(new Set(kinds.map((kind) => kind.join(' ')))).toEqual(
    new Set(['code fee staging', 'none fee prod', 'not_analysed toll prod']),
  )
})

test('of changes of one kind the one with most recorded decisions comes first', () => {
  const records = {
    total: 10,
    replayed: 10,
    changed: 6,
    share: 0.6,
    interval: [0.3, 0.8],
    transitions: [
      { from: 'A', to: 'B', count: 1, examples: [] },
      { from: 'B', to: 'A', count: 5, examples: [] },
    ],
    codes: [],
    not_replayed: [],
    amounts: [],
  }
  const [first, second] = effectsOf(parts({ impacts: [impact([change('A', 'B'), change('B', 'A')], {}, records)] }))
  expect(first).toMatchObject({ kind: 'code', transition: { from: 'B', to: 'A', count: 5 }, replayed: 10 })
  expect(second).toMatchObject({ kind: 'code', transition: { from: 'A', to: 'B', count: 1 } })
  expect(first && toneOf(first)).toBe('warn')
})
