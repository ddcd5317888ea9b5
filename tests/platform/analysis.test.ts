import { afterAll, beforeAll, expect, test } from 'vitest'
import { Analyses } from '../../apps/platform-server/src/compute/analyses.ts'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { changedRuleset, recordDecisions } from './recorded-decisions.testing.ts'
import { makeLive, newScene, type Scene } from './releases.testing.ts'
import { made, refusal } from './team.testing.ts'

/** Analyses of drafts and releases for all inputs, and policies about them. */

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
})
afterAll(() => platform.stop())

/** A table whose second row is never reached, and that has no row for some inputs. */
const table = (name: string, more: object = {}) => ({
  config: { name, version: '1.0.0', ...more },
  startStepId: 't',
  steps: [
    {
      id: 't',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'points', kind: 'input', field: 'points', type: 'number' },
        { id: 'limit', kind: 'output', field: 'limit', type: 'number' },
      ],
      rows: [
        { id: 'low', cells: { points: '< 10', limit: '1' } },
        { id: 'never', cells: { points: '< 5', limit: '2' } },
        { id: 'high', cells: { points: '>= 10', limit: '3' } },
      ],
      nextStepId: 'end',
    },
    { id: 'end', type: 'terminal', code: 'DONE', output: [{ name: 'limit', value: '$limit' }] },
  ],
})

async function saveTable(more: object = {}): Promise<{ readonly name: string; readonly seq: number }> {
  const name = newName()
  const { seq } = await made(
    scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: table(name, more), expected_seq: 0 }),
  )
  return { name, seq }
}

const analysisOf = (name: string, seq: number, by = scene.owner) =>
  by.request('GET', `${scene.P}/rulesets/${name}/saves/${seq}/analysis`)

const changed = (from: number, to: number) => changedRuleset(scene, database(), from, to)
const record = (name: string, inputs: readonly object[], calls?: (index: number) => object[]) =>
  recordDecisions(scene, database(), name, inputs, calls)

const asked = (name: string, from_seq: number) => ({
  title: 'x',
  rulesets: [{ name, from_seq }],
  environments: ['prod'],
})
const preview = async (name: string, seq: number) =>
  (await scene.owner.request('POST', `${scene.P}/releases/preview`, asked(name, seq))).body

/** While a policy applies. */
async function withPolicy<Result>(rules: object, work: () => Promise<Result>): Promise<Result> {
  const policy = await scene.policy({ auto_run_tests: false, ...rules })
  try {
    return await work()
  } finally {
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${policy.id}`)
  }
}

test('findings of a save name rows of its tables', async () => {
  const { name, seq } = await saveTable()
  const { status, body } = await analysisOf(name, seq)
  expect(status).toBe(200)
  expect(body).toMatchObject({ seq, domain: 'any', truncated: false, reason: null, impacts: [] })
  const found = body.findings.filter(({ severity }: { severity: string }) => severity === 'error')
  expect(found).toMatchObject([
    { kind: 'shadowed', place: '/steps/0/rows/1', verdict: 'proved', by: ['/steps/0/rows/0'] },
  ])
})

test('rows of which the first counts inform when they match together with different results', async () => {
  const name = newName()
  const document = table(name)
  const rows = [
    { id: 'few', cells: { points: '< 10', limit: '1' } },
    { id: 'some', cells: { points: 'in [5, 20]', limit: '2' } },
    { id: 'rest', cells: { limit: '3' } },
  ]
  const ruleset = { ...document, steps: document.steps.map((step) => (step.id === 't' ? { ...step, rows } : step)) }
  const { seq } = await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset, expected_seq: 0 }))
  const { findings } = (await analysisOf(name, seq)).body
  expect(findings.filter(({ kind }: { kind: string }) => kind === 'overlap')).toMatchObject([
    { place: '/steps/0/rows/1', severity: 'info', by: ['/steps/0/rows/0'], witness: { input: { points: 5 } } },
  ])
  // The row for all others completes the table, which states no default.
  expect(findings.filter(({ kind }: { kind: string }) => kind === 'always_true')).toEqual([])
})

test('a finding that the author intends is acknowledged with the reason, the author and the time', async () => {
  const intended = [{ finding: 'shadowed', place: '/steps/t/rows/never', reason: 'kept for later' }]
  const { name, seq } = await saveTable({ intended })
  const { findings } = (await analysisOf(name, seq)).body
  const { body: saved } = await scene.owner.request('GET', `${scene.P}/rulesets/${name}`)
  const acknowledged = { reason: 'kept for later', author: saved.updated_by, at: saved.updated_at }
  expect(findings.find(({ kind }: { kind: string }) => kind === 'shadowed')).toMatchObject({
    place: '/steps/0/rows/1',
    acknowledged,
  })
})

test('rows that match together, and outputs that break the contract, are findings of the draft', async () => {
  const name = newName()
  await made(
    scene.owner.request('POST', `${scene.P}/contracts`, {
      name,
      version: '1.0.0',
      input: { fields: [{ name: 'points', type: 'number', required: true }] },
      outputs: [{ code: 'DONE', fields: [{ name: 'limit', type: 'string' }] }],
    }),
  )
  const draft = table(name)
  const steps = draft.steps.map((step) => ({ ...step, ...(step.id === 't' && { hitPolicy: 'unique' }) }))
  await made(
    scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: { ...draft, steps }, expected_seq: 0 }),
  )
  const { body } = await analysisOf(name, 1)
  expect(body.domain).toBe('contract')
  const errors = body.findings.filter(({ severity }: { severity: string }) => severity === 'error')
  expect(errors).toMatchObject([
    { kind: 'dead_branch', place: '/steps/0/rows/1', verdict: 'proved' },
    { kind: 'contract', place: '/steps/1', code: 'DONE', verdict: 'refuted' },
    { kind: 'overlap', place: '/steps/0/rows/1', by: ['/steps/0/rows/0'], verdict: 'refuted' },
  ])
  expect(errors[2].witness.input.points).toBeLessThan(5)
})

test('a save with errors is not analysed: its problems are named', async () => {
  const name = newName()
  const ruleset = { ...grading(name), startStepId: 'nowhere' }
  const { seq } = await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset, expected_seq: 0 }))
  const { status, body } = await analysisOf(name, seq)
  expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  expect(body.details.length).toBeGreaterThan(0)
})

test('a save is compared with what is live in each environment, and a preview as well', async () => {
  const { name, first, seq } = await changed(10, 12)
  const { impacts } = (await analysisOf(name, seq)).body
  const change = {
    environment: 'prod',
    base: { version: '1.0.0', release_id: first.id },
    diff: { verdict: 'different', only_adds: 'refuted', no_new_failure: 'proved', unknown: [] },
  }
  expect(impacts).toMatchObject([change])
  const [{ condition, before, after, witness }] = impacts[0].diff.regions
  expect([before.code, after.code]).toEqual(['GRANTED', 'REFUSED'])
  expect(condition).toBe('points >= 10 && points < 12')
  expect(witness.input.points).toBeGreaterThanOrEqual(10)
  expect(witness.input.points).toBeLessThan(12)
  const shown = await preview(name, seq)
  expect(shown.impacts).toMatchObject([{ ...change, ruleset: name, gates: [], records: { total: 0 } }])
  expect(shown.analyses).toMatchObject([{ ruleset: name, reason: null, coverage: null }])
  const { body: same } = await analysisOf(name, first.rulesets[0].from_seq)
  expect(same.impacts).toMatchObject([{ diff: { verdict: 'equivalent', regions: [] } }])
})

test('a release keeps what was known at its creation, for members without the right to see decisions', async () => {
  const { name, seq } = await changed(10, 12)
  await record(name, [{ points: 11 }, { points: 20 }, { points: '***' }, { points: 5 }])
  const release = await made(scene.owner.request('POST', `${scene.P}/releases`, asked(name, seq)))
  const viewer = await scene.team.join(['viewer'])
  const { status, body } = await viewer.request('GET', `${scene.P}/releases/${release.id}/impact`)
  expect(status).toBe(200)
  expect(body.content_digest).toBe(release.content_digest)
  expect(body.analyses).toMatchObject([{ ruleset: name, truncated: false }])
  expect(body.impacts).toMatchObject([
    {
      environment: 'prod',
      diff: { regions: [{ before: { code: 'GRANTED' }, after: { code: 'REFUSED' }, recorded: 1 }] },
      records: {
        total: 4,
        replayed: 3,
        changed: 1,
        transitions: [{ from: 'GRANTED', to: 'REFUSED', count: 1, examples: [{ points: 11 }] }],
        codes: [
          { code: 'REFUSED', before: 1, after: 2 },
          { code: 'GRANTED', before: 2, after: 1 },
        ],
        not_replayed: [{ reason: 'a masked value is read', count: 1 }],
      },
    },
  ])
})

test('recorded answers and the recorded clock decide again where rules call a service', async () => {
  const name = newName()
  const asking = (limit: number) => {
    const draft = grading(name)
    return {
      ...draft,
      startStepId: 'ask',
      steps: [
        {
          id: 'ask',
          name: 'Ask',
          type: 'action',
          externalCalls: [
            { type: 'function', target: 'bureau#score', params: { points: 'points' }, resultVariable: 'r' },
          ],
          nextStepId: 'check',
        },
        {
          id: 'check',
          name: 'Check',
          type: 'decision',
          branches: [
            {
              id: 'b',
              condition: `$r.payload.score >= ${limit} && now() < "2026-01-01T00:00:10Z"`,
              nextStepId: 'yes',
            },
          ],
          defaultNextStepId: 'no',
        },
        { id: 'yes', name: 'Yes', type: 'terminal', code: 'GRANTED' },
        { id: 'no', name: 'No', type: 'terminal', code: 'REFUSED' },
      ],
    }
  }
  const save = async (limit: number, expected_seq: number) =>
    (await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: asking(limit), expected_seq })))
      .seq as number
  const first = await scene.release(scene.owner, name, await save(500, 0))
  await makeLive(database(), scene.team.id, first.id)
  const { body } = await scene.owner.request('POST', `${scene.P}/rulesets/${name}`, {
    ruleset: asking(700),
    expected_seq: 1,
  })
  const answered = (payload: object, points: number) => ({
    service: 'bureau',
    method: 'score',
    parameters: { points },
    answer: { payload, metadata: {} },
  })
  await record(name, [{ points: 11 }, { points: 12 }, { points: 13 }, { points: 14 }], (index) =>
    index === 3 ? [] : [answered({ score: [600, 800, '***'][index], name: '***' }, 11 + index)],
  )
  const [impact] = (await preview(name, body.seq)).impacts
  expect(impact.records).toMatchObject({
    total: 4,
    replayed: 2,
    changed: 1,
    transitions: [{ from: 'GRANTED', to: 'REFUSED', count: 1, examples: [{ points: 11 }] }],
  })
  expect(impact.records.not_replayed).toEqual(
    expect.arrayContaining([
      { reason: 'a masked value is read', count: 1 },
      { reason: 'it makes a call that was not recorded', count: 1 },
    ]),
  )
})

test('a policy forbids changes of code: only what is proved absent passes, and the obstacle names an input', async () => {
  const { name, seq } = await changed(10, 12)
  await withPolicy({ forbid: ['GRANTED -> REFUSED'] }, async () => {
    const { would_create, blocked, impacts } = await preview(name, seq)
    expect(would_create).toBe(false)
    expect(blocked).toMatchObject([{ path: '/rulesets/0', code: 'forbidden_transition', severity: 'error' }])
    expect(blocked[0].message).toMatch(
      /^`prod` forbids `GRANTED->REFUSED`, and `.*` changes so for the input \{"points":1[01]/,
    )
    const [gate] = impacts[0].gates
    expect(gate).toMatchObject({ gate: 'GRANTED->REFUSED', verdict: 'refuted' })
    expect(gate.witness.input.points).toBeLessThan(12)
    expect(await refusal(scene.ask(scene.owner, name, seq))).toEqual([409, 'forbidden_transition'])
    expect((await scene.ask(scene.owner, name, seq, ['staging'])).status).toBe(201)
  })
  await withPolicy({ forbid: ['REFUSED->GRANTED'] }, async () => {
    expect((await preview(name, seq)).impacts[0].gates).toEqual([{ gate: 'REFUSED->GRANTED', verdict: 'proved' }])
    expect((await scene.ask(scene.owner, name, seq)).status).toBe(201)
  })
})

test('a change that cannot be proved absent is an obstacle with the reason', async () => {
  const name = newName()
  const opaque = (code: string) => ({
    ...grading(name),
    steps: [
      {
        id: 'start',
        type: 'decision',
        branches: [{ id: 'b', condition: `is_string(name) && md5(name) == "${code.repeat(32)}"`, nextStepId: 'yes' }],
        defaultNextStepId: 'no',
      },
      { id: 'yes', type: 'terminal', code: 'GRANTED' },
      { id: 'no', type: 'terminal', code: 'REFUSED' },
    ],
  })
  const saved = (code: string, expected_seq: number) =>
    scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: opaque(code), expected_seq })
  const first = await scene.release(scene.owner, name, (await made(saved('a', 0))).seq)
  await makeLive(database(), scene.team.id, first.id)
  const { seq } = (await saved('b', 1)).body
  await withPolicy({ forbid: ['REFUSED->GRANTED'] }, async () => {
    const { blocked } = await preview(name, seq)
    expect(blocked[0].message).toMatch(/is unknown: .*md5/)
  })
})

test('a policy limits the share of recorded decisions that change', async () => {
  const { name, seq } = await changed(10, 12)
  const message = async () => (await preview(name, seq)).blocked[0]?.message
  await withPolicy({ max_changed: 20 }, async () => {
    expect(await message()).toMatch(/20% of the recorded decisions of .* and none could be replayed: record decisions/)
    await record(name, [{ points: 11 }, { points: 20 }, { points: 21 }, { points: 5 }])
    expect(await message()).toMatch(/and 1 of 4 do, such as \{"points":11\}: GRANTED -> REFUSED$/)
    expect(await refusal(scene.ask(scene.owner, name, seq))).toEqual([409, 'max_changed'])
  })
  await withPolicy({ max_changed: 25 }, async () => {
    expect((await preview(name, seq)).impacts[0].gates).toEqual([{ gate: 'max-changed 25%', verdict: 'proved' }])
    expect((await scene.ask(scene.owner, name, seq)).status).toBe(201)
  })
})

test('a policy requires a coverage by cases', async () => {
  const name = newName()
  const seq = await scene.save(scene.owner, name)
  const cases = [{ name: 'enough', input: { points: 10 }, expect: { code: 'GRANTED' } }]
  const suite = await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}/tests`, { name: 'all', cases }))
  await withPolicy({ require_coverage: { branches: 100, boundaries: 10 } }, async () => {
    const { blocked, analyses } = await preview(name, seq)
    expect(analyses[0].coverage.branches.percent).toBe(50)
    expect(blocked).toMatchObject([{ path: '/rulesets/0', code: 'coverage' }])
    expect(blocked[0].message).toMatch(
      /^`prod` requires 100% of branches of `.*` to be covered by cases, and 50% are, not /,
    )
    expect(await refusal(scene.ask(scene.owner, name, seq))).toEqual([409, 'coverage'])
    const more = [...cases, { name: 'few', input: { points: 9 }, expect: { code: 'REFUSED' } }]
    await scene.owner.request('PUT', `${scene.P}/rulesets/${name}/tests/${suite.id}`, { name: 'all', cases: more })
    expect((await preview(name, seq)).blocked).toEqual([])
  })
})

test('an input of a saved test decides what the search leaves open', async () => {
  const name = newName()
  const ruleset = {
    config: { name, version: '1.0.0' },
    startStepId: 'd',
    steps: [
      {
        id: 'd',
        type: 'decision',
        branches: [{ id: 'b', condition: 'len(lower(code)) == 17', nextStepId: 'long' }],
        defaultNextStepId: 'short',
      },
      { id: 'long', type: 'terminal', code: 'LONG' },
      { id: 'short', type: 'terminal', code: 'SHORT' },
    ],
  }
  const { seq } = await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}`, { ruleset, expected_seq: 0 }))
  const undecided = (findings: readonly { readonly kind: string; readonly verdict: string }[]) =>
    findings.flatMap(({ kind, verdict }) => (verdict === 'unknown' ? [kind] : []))
  const ofSave = async () => undecided((await analysisOf(name, seq)).body.findings)
  const ofRelease = async () => undecided((await preview(name, seq)).analyses[0].findings)
  const open = ['dead_branch', 'unreachable_step', 'unreachable_code']
  expect(await ofSave()).toEqual(open)
  expect(await ofRelease()).toEqual(open)
  const cases = [{ name: 'long', input: { code: 'abcdefghijklmnopq' }, expect: { code: 'LONG' } }]
  await made(scene.owner.request('POST', `${scene.P}/rulesets/${name}/tests`, { name: 'all', cases }))
  expect(await ofSave()).toEqual([])
  expect(await ofRelease()).toEqual([])
})

test('an analysis whose caller has left ends, and so does one that takes too long', async () => {
  const analyses = new Analyses()
  const subject = { draft: table('late'), subRules: new Map(), contract: undefined } as never
  const leaving = new AbortController()
  const left = analyses.report({ subject, seeds: [], signal: leaving.signal })
  leaving.abort()
  expect(await left).toMatchObject({ truncated: true, reason: 'its caller has left', findings: [] })
  const { findings } = (await analyses.report({ subject, seeds: [] })) as { readonly findings: readonly object[] }
  expect(findings.length).toBeGreaterThan(0)
  await analyses.close()
})
