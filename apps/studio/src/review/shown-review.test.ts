import { AT, type Loaded, shownPart } from '../frame/shown-part.testing.ts'
import { createElement, type FunctionComponent } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { Behavior } from './behavior.tsx'
import { FindingsOfRelease } from './findings-of-release.tsx'
import { Plan } from './plan.tsx'
import { RegionList } from './region-list.tsx'
import { ReleaseActions } from './release-actions.tsx'
import { TestsOfRelease } from './tests-of-release.tsx'
import { Verdict } from './verdict.tsx'

// Conditions are shown as code: the choice of the user is in the storage of the browser.
vi.mock('../ui/notation.ts', () => ({ useNotation: () => 'code' }))

const environment = (name: string, order: number, more: object = {}) => ({
  id: name,
  name,
  order,
  requires_release: true,
  hold_before: true,
  server_ids: ['a', 'b'],
  canary: { stages: [], alpha: 0.01, on_failure: 'rollback' },
  ...more,
})
const stages = [
  { percent: 10, duration_s: 600 },
  { percent: 50, duration_s: 5400 },
]
const ENVIRONMENTS = [
  environment('prod', 3, { canary: { stages, alpha: 0.01, on_failure: 'rollback' } }),
  environment('test', 1),
  environment('stage', 2, { hold_before: false }),
]

function loadedFor(rights: readonly string[] = ['release.create']): readonly Loaded[] {
  return [
    ['/api/v1/orgs/{oid}/projects/{pid}/environments', { path: AT }, { items: ENVIRONMENTS }],
    [
      '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}',
      { path: { ...AT, rid: 'old' } },
      { number: 4, rulesets: [{ name: 'fee', version: '1.0.0' }, { name: 'tax' }] },
    ],
    ['/api/v1/me', {}, { user: { id: 'me' }, organizations: [{ id: AT.oid, my_permissions: rights }] }],
  ]
}

/** The text of a part with the given members of its properties. */
const textOf = async <Props extends object>(
  part: FunctionComponent<Props>,
  props: Readonly<Record<keyof Props, unknown>> | object,
  rights?: readonly string[],
): Promise<string> => (await shownPart(() => createElement(part, props as Props), loadedFor(rights))).text

const RELEASE = {
  id: 'r',
  number: 7,
  kind: 'release',
  status: 'approved',
  environments: ['prod', 'test'],
  allowed: [],
  execution_id: null,
  requirements: [],
  rulesets: [],
}
const diffOf = (more: object = {}) => ({
  environment: 'prod',
  ruleset: 'fee',
  base: { version: '1.0.0', digest: 'd', release_id: 'old' },
  removed: false,
  contract: null,
  ...more,
})
const DIFF = diffOf()
const PARTS = { diffs: [DIFF], impacts: [], analyses: [], tests: null, rulesets: [], isRollback: false }

describe('the plan of a rollout', () => {
  const plan = (release: object, parts: object = {}) =>
    textOf(Plan, { release: { ...RELEASE, ...release }, parts: { ...PARTS, ...parts } })

  test('has the environments of the release in their order, with the time of all', async () => {
    const text = await plan({ environments: ['prod', 'test'] })
    expect(text).toContain('| about 1 h 42 min from the start | T | test | about 1 min | All engines at once')
    expect(text).toContain('| prod | about 1 h 41 min | By share of requests.')
    expect(text).not.toContain('stage |')
  })

  test.each<[environments: readonly string[], holds: number]>([
    [['test', 'prod'], 1],
    // The first environment never waits, and `stage` does not hold.
    [['test'], 0],
    [['test', 'stage'], 0],
    [['stage', 'prod'], 1],
  ])('of %j waits %i times', async (environments, holds) => {
    expect((await plan({ environments })).match(/Stops here/g) ?? []).toHaveLength(holds)
  })

  test('has the stages with their shares and durations, and the guard', async () => {
    const text = await plan({ environments: ['prod'] })
    expect(text).toContain('| Check | 10 %, 10 min | 50 %, 1 h 30 min | Everyone | Verify |')
    expect(text).toContain('| 10 % of requests for 10 min | 50 % of requests for 1 h 30 min |')
    expect(text).toContain('at most 1 false alarm in 100 rollouts')
    expect(await plan({ environments: ['test'] })).not.toContain('false alarm')
  })

  test('has the approvals of each environment', async () => {
    const requirements = [{ environment: 'prod', min_count: 2, roles: ['risk', 'owner'], satisfied: false }]
    const text = await plan({ requirements })
    expect(text).toContain('| Verify | No approval needed | Stops here')
    expect(text).toContain('| 2 approvals by risk or owner |')
  })

  test('names the way back', async () => {
    expect(await plan({})).toContain('Way back at any time: release 4 (fee 1.0.0, tax )')
    expect(await plan({}, { diffs: [diffOf({ base: null })] })).not.toContain('release 4')
  })
})

test.each<[release: object, buttons: string, rights?: readonly string[]]>([
  [{}, ''],
  [
    { allowed: ['execute', 'cancel', 'reject', 'approve'] },
    '| Approve | A | Reject | R | Withdraw | Release to prod, test |',
  ],
  [{ allowed: ['rollback'] }, '| Roll back to release 4 |'],
  [{ status: 'executing', execution_id: 'x' }, '| Watch the rollout |'],
  [{ status: 'paused', execution_id: 'x' }, '| Watch the rollout |'],
  [{ status: 'rolling_back', execution_id: 'x' }, '| Watch the rollout |'],
  [{ status: 'completed', execution_id: 'x' }, '| Report of the rollout |'],
  [{ status: 'rejected' }, '| Change and request again |'],
  [{ status: 'cancelled' }, '| Change and request again |'],
  [{ status: 'failed' }, '| Change and request again |'],
  [{ status: 'rolled_back' }, '| Change and request again |'],
  [{ status: 'completed' }, ''],
  [{ status: 'rejected', kind: 'rollback' }, ''],
  [{ status: 'rejected' }, '', ['release.approve']],
])('a release with %j has the buttons %j', async (release, buttons, rights) => {
  const props = {
    release: { ...RELEASE, ...release },
    path: { ...AT, rid: 'r' },
    verdict: '',
    diffs: [DIFF],
    impacts: [],
  }
  expect(await textOf(ReleaseActions, props, rights)).toBe(buttons)
})

describe('the verdict about a release', () => {
  const records = (replayed: number, changed: number) => ({
    replayed,
    changed,
    interval: [0.1, 0.4],
    transitions: [],
    not_replayed: [],
    amounts: [],
  })
  const impact = (more: object) => ({
    environment: 'prod',
    ruleset: 'fee',
    base: null,
    diff: { verdict: 'equivalent', regions: [], unknown: [], truncated: false, no_new_failure: 'proved' },
    gates: [],
    records: null,
    ...more,
  })
  const verdict = (parts: object) => textOf(Verdict, { parts: { ...PARTS, diffs: [], ...parts } })
  const finding = (more: object = {}) => ({
    kind: 'gap',
    place: '/steps/0',
    severity: 'notice',
    verdict: 'refuted',
    ...more,
  })
  const analysis = (findings: readonly object[], reason: string | null = null) => ({ ruleset: 'fee', findings, reason })
  const contract = (more: object) => diffOf({ contract: { breaking: false, breaks: [], bump: 'none', ...more } })
  const TESTS = { passed: 9, failed: 0, total: 9, results: [] }

  test.each<[name: string, parts: object, text: string]>([
    ['no tests', { tests: { ...TESTS, passed: 0, total: 0 } }, '| Tests | No tests | nothing was tried |'],
    ['tests that pass', { tests: TESTS }, '| Tests | 9 of 9 | pass |'],
    ['a test that fails', { tests: { ...TESTS, passed: 8, failed: 1 } }, '| Tests | 8 of 9 | 1 fails |'],
    ['no analysis', {}, '| Findings | not decided | the analysis has no result |'],
    ['an analysis without a result', { analyses: [analysis([], 'too large')] }, '| Findings | not decided |'],
    ['no finding', { analyses: [analysis([])] }, '| Findings | none |'],
    ['remarks', { analyses: [analysis([finding({ severity: 'info' })])] }, '| Findings | none |'],
    ['intended findings', { analyses: [analysis([finding({ acknowledged: {} })])] }, '| Findings | none |'],
    ['two findings', { analyses: [analysis([finding()]), analysis([finding()])] }, '| Findings | 2 open |'],
    ['no contract', {}, '| Contract | none | any input is accepted |'],
    ['a contract that stays', { diffs: [contract({})] }, '| Contract | unchanged |'],
    ['a contract that grows', { diffs: [contract({ bump: 'minor' })] }, '| Contract | minor |'],
    ['a patch of a contract', { diffs: [contract({ bump: 'patch' })] }, '| Contract | unchanged |'],
    [
      'a contract that breaks',
      { diffs: [contract({}), contract({ breaking: true, breaks: [{}, {}] })] },
      '| Contract | breaks in 2 places |',
    ],
    ['a first release', {}, '| Way back | first time live |'],
    ['a live release', { diffs: [DIFF] }, '| Way back | release 4 | fee 1.0.0 |'],
    [
      'content that went live without a release',
      { diffs: [diffOf({ base: { version: '1.0.0', release_id: null } })] },
      '| Way back | earlier content | fee 1.0.0 |',
    ],
    [
      'recorded decisions of two targets',
      { impacts: [impact({ records: records(30, 6) }), impact({ records: records(10, 4) }), impact({})] },
      '| 25 % | of recorded decisions change: 10 of 40 |',
    ],
    [
      'no recorded decision',
      { impacts: [impact({ records: records(0, 0) })] },
      'No recorded decision to compare with.',
    ],
  ])('with %s', async (_name, parts, text) => {
    expect(await verdict(parts)).toContain(text)
  })

  test('of a rollback has neither tests nor findings', async () => {
    const text = await verdict({ isRollback: true, diffs: [DIFF] })
    expect(text).toContain('| Way back | release 4 |')
    expect(text).not.toMatch(/\| (Tests|Findings|Contract) \|/)
  })
})

describe('the list of changed regions', () => {
  const region = (more: object = {}) => ({
    condition: 'amount > 1',
    complete: true,
    before: { code: 'OK', message: '', output: { fee: 1, tax: 2 } },
    after: { code: 'OK', message: '', output: { fee: 3, tax: 2 } },
    witness: { input: { amount: 2 } },
    recorded: 3,
    ...more,
  })
  const list = (...regions: readonly object[]) =>
    textOf(RegionList, {
      ruleset: 'fee',
      regions,
      colours: new Map(),
      unitOf: (name: string) => (name === 'fee' ? 'EUR' : ''),
    })

  test('begins with the one of the most recorded decisions, which is open', async () => {
    const text = await list(
      region(),
      region({ condition: 'amount > 9', recorded: 30 }),
      region({ recorded: undefined }),
    )
    expect(text.match(/\| amount \| &gt; \| \d/g)?.map((line) => line.at(-1))).toEqual(['9', '1', '1'])
    expect(text.match(/\| Example \|/g)).toHaveLength(1)
    expect(text.indexOf('| Example |')).toBeLessThan(text.indexOf('&gt; | 1'))
  })

  test.each<[name: string, region: object, line: string]>([
    ['an output', {}, '| fee | 1 | 3 EUR | 3 | Run |'],
    [
      'a message',
      { after: { code: 'OK', message: 'hi', output: { fee: 1, tax: 2 } } },
      '| Message | – | hi | 3 | Run |',
    ],
    ['an output without a unit', { after: { code: 'OK', output: { fee: 1, tax: 3 } } }, '| tax | 2 | 3 | 3 | Run |'],
    ['a code', { after: { code: 'NO', output: { fee: 3 } } }, '| OK | NO | 3 | Run |'],
    ['an error', { after: { error: { code: 'limit', step: 's' } } }, '| OK | error limit | 3 | Run |'],
  ])('shows the change of %s', async (_name, more, line) => {
    expect(await list(region(more))).toContain(line)
  })

  test.each<[name: string, region: object, words: string]>([
    ['all inputs', { condition: 'true' }, '| For every input | OK'],
    ['perhaps others', { complete: false }, '| 1 | and perhaps others |'],
  ])('names %s', async (_name, more, words) => {
    expect((await list(region(more))).replace('| fee', '| OK')).toContain(words)
  })

  test('shows both sides of the example, with units', async () => {
    const text = await list(region({ after: { code: 'OK', output: { fee: 3 } } }))
    expect(text).toContain('| Live | OK | fee | 1 EUR | tax | 2 | Candidate | OK | fee | 3 EUR | tax | – |')
  })

  test('has 40 entries at most', async () => {
    const all = Array.from({ length: 41 }, (_, index) => region({ condition: `amount > ${index}` }))
    expect((await list(...all)).match(/\| Run \|/g)).toHaveLength(40)
  })
})

describe('the behavior of a release', () => {
  const diff = (more: object) => ({
    verdict: 'different',
    regions: [],
    unknown: [],
    truncated: false,
    no_new_failure: 'proved',
    only_adds: 'refuted',
    only_removes: 'refuted',
    ...more,
  })
  const behavior = (more: object, gates: readonly object[] = []) =>
    textOf(Behavior, {
      parts: {
        ...PARTS,
        impacts: [{ environment: 'prod', ruleset: 'fee', base: null, diff: diff(more), gates, records: null }],
      },
    })

  test.each<[name: string, diff: object, text: string]>([
    ['equal for all inputs', { verdict: 'equivalent' }, '| No decision changes. |'],
    ['partly unknown', { unknown: [{}, {}] }, '2 questions could not be decided, so that'],
    ['cut off', { truncated: true }, '| The analysis reached its limit'],
    ['unknown as a whole', { verdict: 'unknown' }, '| The comparison could not be decided'],
    ['without new failures', {}, '| proved |'],
    ['with a possible failure', { no_new_failure: 'unknown' }, '| not decided |'],
    ['with a new failure', { no_new_failure: 'refuted' }, '| does not hold |'],
  ])('is %s', async (_name, more, text) => {
    expect(await behavior(more)).toContain(text)
  })

  test.each([
    ['A->B', 'refuted', 'A → B', '| not met |'],
    ['A->B', 'proved', 'A → B', '| met |'],
    ['max', 'unknown', '', '| not decided |'],
  ])('has the requirement %s, which is %s', async (gate, verdict, words, word) => {
    const text = await behavior({ no_new_failure: 'proved' }, [{ gate, verdict }])
    expect(text).toContain(words)
    expect(text).toContain(word)
  })

  test.each<[diff: object, isProved: boolean]>([
    [{}, true],
    [{ truncated: true }, false],
    [{ unknown: [{}] }, false],
    [{ verdict: 'equivalent' }, false],
  ])('of the comparison %j is proved to be all: %s', async (more, isProved) => {
    expect((await behavior(more)).includes('| proved: these 0 and no others |')).toBe(isProved)
  })

  test('that only adds results is said of differences alone', async () => {
    const lines = async (more: object) =>
      (await behavior(more))
        .split('| What')
        .at(-1)
        ?.match(/\| proved \|/g)?.length
    expect([
      await lines({ only_adds: 'proved' }),
      await lines({ only_adds: 'proved', verdict: 'equivalent' }),
      await lines({ only_adds: 'proved', only_removes: 'proved' }),
    ]).toEqual([2, 1, 3])
  })
})

test('findings name their ruleset where there are several, and say that there are none', async () => {
  const finding = (kind: string, more: object = {}) => ({
    kind,
    place: '/steps/0',
    severity: 'notice',
    verdict: 'refuted',
    ...more,
  })
  const shown = (analyses: readonly object[]) => textOf(FindingsOfRelease, { analyses, rulesets: [] })
  const of = (ruleset: string, findings: readonly object[], reason: string | null = null) => ({
    ruleset,
    findings,
    reason,
  })
  expect(await shown([])).toBe('')
  expect(await shown([of('fee', [finding('can_fail', { error: 'limit' })])])).toContain(
    '| Can fail | /steps/0 | limit |',
  )
  expect(await shown([of('fee', [finding('gap')]), of('tax', [])])).toContain(
    '| Some inputs match no row | fee, /steps/0 |',
  )
  expect(await shown([of('fee', [], 'too large')])).toContain('| too large |')
  expect(await shown([of('fee', [])])).not.toContain('null')
  expect(await shown([of('fee', [finding('gap', { verdict: 'unknown', reason: 'time' })])])).toContain('| time |')
  const many = Array.from({ length: 21 }, (_, index) => finding('gap', { place: `/steps/${index}` }))
  expect((await shown([of('fee', many)])).match(/Some inputs match no row/g)).toHaveLength(20)
})

test('tests are listed with their first failure, and each part of the coverage with its share', async () => {
  const part = (covered: number, total: number) => ({ covered, total, missing: [] })
  const result = (name: string, passed: boolean) => ({
    suite: 's',
    case_id: name,
    name,
    passed,
    failures: passed ? [] : [{ message: `${name} differs` }, { message: 'more' }],
  })
  const tests = {
    passed: 2,
    failed: 1,
    total: 3,
    results: [result('a', true), result('b', false), result('c', true)],
    coverage: { steps: part(3, 4), branches: part(0, 0), rows: part(1, 8) },
  }
  const text = await textOf(TestsOfRelease, { parts: { ...PARTS, diffs: [], tests } })
  expect(text).toContain('| b | b differs |')
  expect(text).not.toMatch(/\| a \||more/)
  expect(text).toMatch(/\| Steps \| 75 % \| 3 \/ 4 \| Rows \| 12\.5 % \| 1 \/ 8 \|/)
})
