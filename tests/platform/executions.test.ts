import { randomUUID } from 'node:crypto'
import { yamlToJson } from '@engine/rule-file'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
  team.owner.request(method, `${team.P}/${path}`, body, headers)

/** A table, a call and a result, with one row that decides by the clock. */
const limits = (name: string) => ({
  config: { name, version: '1.2.0' },
  startStepId: 'grade',
  steps: [
    {
      id: 'grade',
      name: 'Grade',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'age', kind: 'input', field: 'age', type: 'number' },
        { id: 'limit', kind: 'output', field: 'limit', type: 'number' },
      ],
      rows: [
        { id: 'r1', cells: { age: '>= 18', limit: '100' } },
        { id: 'r2', cells: { age: '? year(now()) > 2040', limit: '7' } },
        { id: 'r3', cells: { age: '', limit: '5.5' } },
      ],
      nextStepId: 'ask',
    },
    {
      id: 'ask',
      type: 'action',
      assignments: [],
      externalCalls: [{ type: 'function', target: 'bureau#score', resultVariable: 'score' }],
      nextStepId: 'check',
    },
    {
      id: 'check',
      type: 'decision',
      branches: [{ id: 'b', condition: '$score.payload > 500', nextStepId: 'yes' }],
      defaultNextStepId: 'no',
    },
    { id: 'yes', type: 'terminal', code: 'YES', output: [{ name: 'limit', value: '$limit' }] },
    { id: 'no', type: 'terminal', code: 'NO' },
  ],
})
const stubs = { 'bureau.score': 700 }

describe('a try-run', () => {
  const trace = (body: object) =>
    send('POST', 'rulesets/limits/trace', { ruleset: limits('limits'), input: {}, ...body })

  test('has every step of the author with its values', async () => {
    const { status, body } = await trace({ input: { age: 20 }, stubs })
    expect([status, body.code, body.output]).toEqual([200, 'YES', { limit: 100 }])
    expect(body.trace.path).toBe('grade -> ask -> check -> yes')
    expect(body.trace.steps[0]).toMatchObject({
      id: 'grade',
      name: 'Grade',
      type: 'table',
      branches: [{ path: '/steps/0/rows/0', taken: true, fields: { age: 20 } }],
      branch: 'r1',
      values: { limit: 100 },
    })
    expect(body.trace.steps[2].branches).toEqual([
      {
        path: '/steps/2/branches/0',
        condition: '$score.payload > 500',
        taken: true,
        fields: { '$score.payload': 700 },
      },
    ])
    expect((await send('GET', 'rulesets/limits')).status).toBe(404)
  })

  test('uses the given time and answers, and calls nothing', async () => {
    const { body } = await trace({ input: { age: 1 }, stubs, now: '2041-01-01T00:00:00Z' })
    expect(body.output).toEqual({ limit: 7 })
    const without = await trace({ input: { age: 1 } })
    expect([without.status, without.body.code, without.body.error]).toMatchObject([
      200,
      null,
      { step_id: expect.stringMatching(/^(?:ask|check)$/), message: expect.any(String) },
    ])
    const failing = await trace({ stubs: { 'bureau.score': { error: 'away' } } })
    expect([failing.body.code, failing.body.trace.steps.length]).toEqual([null, expect.any(Number)])
  })
})

describe('test suites', () => {
  const first = { name: 'of age', input: { age: 20 }, stubs, expect: { code: 'YES', output: { limit: 100 } } }
  const close = { name: 'close', input: { age: 1 }, stubs, expect: { output: { limit: 5.4 }, tolerance: 0.2 } }
  const path = {
    name: 'path',
    input: { age: 1 },
    stubs: { 'bureau.score': 1 },
    expect: { code: 'NO', path: ['grade', 'ask', 'check', 'no'] },
  }

  test('are stored, changed case by case, and follow their ruleset', async () => {
    const [name, renamed] = [newName(), newName()]
    await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    const suite = await made(send('POST', `rulesets/${name}/tests`, { name: 'main', cases: [first, close] }))
    expect(suite).toMatchObject({ name: 'main', rev: 1, cases: [first, close] })
    const added = await made(send('POST', `rulesets/${name}/tests/${suite.id}/cases`, path))
    const changed = await send('PUT', `rulesets/${name}/tests/${suite.id}/cases/${added.id}`, { ...path, name: 'way' })
    expect(changed.body).toMatchObject({ id: added.id, name: 'way' })
    const shown = await send('GET', `rulesets/${name}/tests/${suite.id}`)
    expect(shown.body.cases.map((one: { name: string }) => one.name)).toEqual(['of age', 'close', 'way'])
    // With their ids cases stay the same when a suite is replaced.
    const cases = shown.body.cases.toReversed()
    const replaced = await send(
      'PUT',
      `rulesets/${name}/tests/${suite.id}`,
      { name: 'main', cases },
      { 'if-match': '"3"' },
    )
    expect(replaced.body.cases).toEqual(cases)
    expect((await send('DELETE', `rulesets/${name}/tests/${suite.id}/cases/${added.id}`)).status).toBe(204)
    const alone = { name: 'alone', expect: { code: 'NO' } }
    for (const place of ['', `/${suite.id}/cases`]) {
      const { body: single, headers } = await send('POST', `rulesets/${name}/tests${place}`, alone)
      expect(single).toEqual({ id: expect.any(String), input: {}, ...alone })
      const there = await team.owner.request('PUT', headers.get('location') ?? '', { ...alone, name: 'there' })
      expect(there.body).toMatchObject({ id: single.id, name: 'there' })
    }
    expect((await send('POST', `rulesets/${name}/rename`, { name: renamed, expected_seq: 1 })).status).toBe(200)
    const names = (await send('GET', `rulesets/${renamed}/tests`)).body.items.map((one: { name: string }) => one.name)
    expect(names).toEqual(['default', 'main'])
    expect((await send('DELETE', `rulesets/${renamed}/tests/${suite.id}`)).status).toBe(204)
    expect((await send('GET', `rulesets/${renamed}/tests/${suite.id}`)).status).toBe(404)
  })

  test.each([
    ['neither cases nor an expectation', {}],
    ['both', { cases: [], expect: { code: 'A' } }],
    ['the input of a case', { cases: [], input: {} }],
  ])('with %s are refused', async (_what, more) => {
    const name = newName()
    await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    expect((await send('POST', `rulesets/${name}/tests`, { name: 'main', ...more })).status).toBe(400)
    const all = await send('POST', 'tests/run')
    // A run skips a ruleset that has no suites.
    expect(all.body.rulesets.map((ruleset: { name: string }) => ruleset.name)).not.toContain(name)
  })

  test('report passed, failed and unreached parts', async () => {
    const name = newName()
    await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    const wrong = { name: 'wrong', input: { age: 20 }, stubs, expect: { code: 'NO', output: { limit: 1 } } }
    const suite = await made(
      send('POST', `rulesets/${name}/tests`, { name: 'main', cases: [first, close, path, wrong] }),
    )
    const { body } = await send('POST', `rulesets/${name}/tests/run`)
    expect(body).toMatchObject({ total: 4, passed: 3, failed: 1 })
    expect(body.results[3]).toMatchObject({
      suite: 'main',
      case_id: suite.cases[3].id,
      passed: false,
      failures: [
        { kind: 'code', message: 'code: expected "NO", found "YES"' },
        { kind: 'output', message: 'output: expected {"limit":1}, found {"limit":100}' },
      ],
      actual: { code: 'YES', output: { limit: 100 }, path: ['grade', 'ask', 'check', 'yes'] },
    })
    expect(body.coverage).toMatchObject({
      steps: { covered: 5, total: 5, missing: [] },
      rows: { covered: 2, total: 3, missing: ['row 2 of `grade`'] },
    })
    const one = await send('POST', `rulesets/${name}/tests/${suite.id}/run`, { seq: 1 })
    expect(one.body.results.map(({ passed }: { passed: boolean }) => passed)).toEqual([true, true, true, false])
    const [, second, , last] = suite.cases.map(({ id }: { id: string }) => id)
    for (const route of [`rulesets/${name}/tests/run`, `rulesets/${name}/tests/${suite.id}/run`]) {
      const some = await send('POST', route, { case_ids: [last, second, last] })
      expect(some.body).toMatchObject({ total: 2, passed: 1, failed: 1 })
      expect(some.body.results.map(({ case_id: id }: { case_id: string }) => id)).toEqual([second, last])
      const refused = await send('POST', route, { case_ids: [second, randomUUID()] })
      expect([refused.status, refused.body.details]).toEqual([
        400,
        [{ path: '/case_ids/1', message: 'is not the id of a case here', code: 'unknown-case' }],
      ])
      expect((await send('POST', route, { case_ids: [] })).status).toBe(400)
    }
    const junit = await send('POST', `rulesets/${name}/tests/run`, undefined, { accept: 'application/xml' })
    expect(junit.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(junit.text).toContain(`<testsuite name="${name}" tests="4" failures="1">`)
    const tap = await send('POST', 'tests/run', undefined, { accept: 'text/x-tap' })
    expect(tap.text).toContain('not ok')
    expect(tap.text).toMatch(/^TAP version 14\n1\.\.\d+\n/)
    const all = await send('POST', 'tests/run')
    const own = all.body.rulesets.find((ruleset: { name: string }) => ruleset.name === name)
    expect([own.total, own.failed]).toEqual([4, 1])
    for (const count of ['total', 'passed', 'failed'] as const) {
      const counts: number[] = all.body.rulesets.map((run: Record<typeof count, number>) => run[count])
      expect(all.body[count]).toBe(counts.reduce((sum, number) => sum + number, 0))
    }
  })

  test('notify the person who started a run of failed cases: one notification per subject, the latest, until it is read', async () => {
    const name = newName()
    const { seq } = await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    const wrong = { name: 'wrong', input: { age: 20 }, stubs, expect: { code: 'NO' } }
    const suite = await made(send('POST', `rulesets/${name}/tests`, { name: 'main', cases: [first, wrong] }))
    const told = async () => {
      const { body } = await team.owner.request('GET', `${team.O}/notifications?limit=200`)
      const items = body.items as readonly { id: string; kind: string; ref_id: string; payload: object }[]
      return items.filter(({ kind, ref_id: ref }) => kind === 'tests_failed' && ref === suite.id)
    }
    const run = () => send('POST', `rulesets/${name}/tests/${suite.id}/run`)
    await run()
    await run()
    const notices = await told()
    expect(notices).toMatchObject([
      { ref_type: 'suite', payload: { project_id: team.project, name, total: 2, failed: 1 } },
    ])
    await team.owner.request('POST', `${team.O}/notifications/${notices[0]?.id}/read`)
    await run()
    expect(await told()).toHaveLength(2)
    // A key has no inbox, and a run without failures notifies no one.
    const key = { name, scopes: ['test.run'] }
    const { token } = await made(team.owner.request('POST', `${team.O}/api-keys`, key))
    const { status } = await platform
      .program(token)
      .request('POST', `${team.P}/rulesets/${name}/tests/${suite.id}/run`, { seq })
    expect(status).toBe(200)
    await send('PUT', `rulesets/${name}/tests/${suite.id}`, { name: 'main', cases: [first] })
    expect((await run()).body.failed).toBe(0)
    expect(await told()).toHaveLength(2)
  })

  test('check inputs against the contract, and fail with a ruleset that has errors', async () => {
    const name = newName()
    const fields = [{ name: 'age', type: 'number', required: true }]
    const outputs = [
      { code: 'YES', fields: [] },
      { code: 'NO', fields: [] },
    ]
    await made(send('POST', 'contracts', { name, version: '1.0.0', input: { fields }, outputs }))
    await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    await made(send('POST', `rulesets/${name}/tests`, { name: 'no input', stubs, expect: { code: 'YES' } }))
    const { body } = await send('POST', `rulesets/${name}/tests/run`)
    expect(body.results[0].failures).toContainEqual({
      kind: 'contract',
      message: 'the contract requires the field `age`',
    })
    const broken = { ...limits(name), startStepId: 'nowhere' }
    expect((await send('POST', `rulesets/${name}`, { ruleset: broken, expected_seq: 1 })).status).toBe(200)
    const refused = await send('POST', `rulesets/${name}/tests/run`)
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'unknown-step'])
    // The save before is still good.
    expect((await send('POST', `rulesets/${name}/tests/run`, { seq: 1 })).status).toBe(200)
    const all = await send('POST', 'tests/run')
    const own = all.body.rulesets.find((ruleset: { name: string }) => ruleset.name === name)
    expect(own.results[0].failures[0].kind).toBe('ruleset')
  })

  test('are unchanged after an export to a file and its import', async () => {
    const name = newName()
    await made(send('POST', `rulesets/${name}`, { ruleset: limits(name), expected_seq: 0 }))
    const suite = await made(send('POST', `rulesets/${name}/tests`, { name: 'a "b", c', cases: [first, close, path] }))
    const yaml = await send('GET', `rulesets/${name}/tests/export`)
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
    const converted = yamlToJson(yaml.text)
    const document = JSON.parse('json' in converted ? converted.json : '')
    expect(document).toEqual({
      ruleset: name,
      cases: [first, close, path].map((one) => ({ suite: 'a "b", c', ...one })),
    })
    const back = await send('POST', `rulesets/${name}/tests/import`, document)
    expect(back.body.suites).toEqual([{ ...suite, rev: 2, updated_at: expect.any(String) }])
    const csv = await send('GET', `rulesets/${name}/tests/export?format=csv`)
    expect(csv.text.split('\r\n').slice(0, 2)).toEqual([
      'suite,name,now,input,stubs,expect',
      '"a ""b"", c",of age,,"{""age"":20}","{""bureau.score"":700}","{""code"":""YES"",""output"":{""limit"":100}}"',
    ])
  })
})
