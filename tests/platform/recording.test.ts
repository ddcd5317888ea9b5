import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { recordingCleanUp } from '../../apps/platform-server/src/features/recording/clean-up.ts'
import { startServer } from '../http/server.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { grading } from './drafts.testing.ts'
import {
  addEngine,
  type Document,
  digestOf,
  type Engine,
  engineNamed,
  startTeam,
  type Team,
  want,
} from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

/** A change that was made. */
async function put(answer: Promise<Answered>): Promise<void> {
  const { status, text } = await answer
  expect(status, text).toBe(200)
}

/** Only ends what hangs. */
const LIMIT_MS = 60_000

const document = (name: string) => ({
  config: { name, version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code: 'OK', message: '', output: [] } } },
})

const contract = (name: string, path: string) => ({
  name,
  version: '1.0.0',
  input: {
    fields: [
      { name: path, type: 'string', sensitive: true },
      { name: 'points', type: 'number' },
    ],
  },
  outputs: [
    { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
    { code: 'REFUSED', fields: [] },
  ],
})

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', '--rate-limit', '0'])
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  /** A project whose environment `dev` is served by an engine that this test plays. */
  async function recording(
    settings: object,
    documents: (name: string) => readonly Document[] = (name) => [document(name)],
  ) {
    const { owner, O } = team
    const project = await made(owner.request('POST', `${O}/projects`, { name: randomUUID() }))
    const P = `${O}/projects/${project.id}`
    const name = `r${randomUUID()}`
    const engine = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID()))
    await put(owner.request('PUT', `${P}/server`, { environment: 'dev', server_ids: [engine.id] }))
    const dev = (await owner.request('GET', `${P}/environments/dev`)).body.id as string
    await put(owner.request('PUT', `${P}/environments/dev/recording`, settings))
    await made(owner.request('POST', `${P}/rulesets/${name}`, { ruleset: grading(name), expected_seq: 0 }))
    await want(database(), team.org, dev, documents(name))
    const beat = beating(engine)
    return {
      P,
      name,
      dev,
      engine,
      beat,
      at: `${P}/rulesets/${name}/decisions`,
      rules: async () => (await beat({})).recording,
    }
  }

  /** Heartbeats of an engine that has applied everything. */
  const beating =
    (engine: Engine) =>
    async (recorded: object, more: object = {}) => {
      const answer = await engine.beat({ recording: { tag: null, decisions: [], ...recorded }, ...more })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    }

  const sample = (
    seq: number,
    name: string,
    more: { readonly [name: string]: unknown; readonly input?: object } = {},
  ) => ({
    seq,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString(),
    tenant: null,
    name,
    digest: digestOf(document(name)),
    code: 'OK',
    output: '{}',
    ...more,
    input: JSON.stringify({ number: seq, ...more.input }),
  })

  const numbersAt = async (path: string) =>
    (await team.owner.request('GET', path)).body.items.map((one: { input: { number: number } }) => one.input.number)

  test('an engine gets the recording rules of each ruleset, and again when they change', async () => {
    const { P, name, engine, rules } = await recording({ rate: 25, mask: ['user.email'] })
    const first = await rules()
    expect(first).toEqual({ tag: expect.any(String), rules: [{ tenant: null, name, rate: 25, mask: ['user.email'] }] })
    // One that has the rules waits, and is answered when they change.
    const { desired_revision: revision } = (await team.owner.request('GET', `/api/v1/servers/${engine.id}`)).body
    const held = engine.beat({
      recording: { tag: first.tag, decisions: [] },
      applied_revision: revision,
      wait_ms: 25_000,
    })
    await made(team.owner.request('POST', `${P}/contracts`, contract(name, 'user.name')))
    expect((await held).body.recording.rules[0].mask).toEqual(['user.email', 'user.name'])
    await put(team.owner.request('PUT', `${P}/environments/dev/recording`, { rate: 0 }))
    expect((await rules()).rules).toEqual([])
  })

  test('the contract that a draft names applies, and an engine with tenants has them in its rules', async () => {
    const { P, name, dev } = await recording({ rate: 100 })
    const engine = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID(), { tenants: true }))
    await put(team.owner.request('PUT', `${P}/server`, { environment: 'dev', server_ids: [engine.id] }))
    await made(team.owner.request('POST', `${P}/contracts`, contract('shared', 'card.number')))
    const ruleset = grading(name, 10, { contract: 'shared' })
    const saved = await team.owner.request('POST', `${P}/rulesets/${name}`, { ruleset, expected_seq: 1 })
    expect(saved.status, saved.text).toBe(200)
    const { rules } = (await beating(engine)({})).recording
    expect(rules).toMatchObject([{ tenant: dev, name, mask: ['card.number'] }])
    // The contract with the ruleset's name counts as well: the live content may be an earlier save.
    await made(team.owner.request('POST', `${P}/contracts`, contract(name, 'user.email')))
    expect((await beating(engine)({})).recording.rules[0].mask.toSorted()).toEqual(['card.number', 'user.email'])
  })

  test('external calls are recorded where the environment asks for them, rebuilt and masked once more', async () => {
    const { P, name, dev, at, beat, rules } = await recording({ rate: 100, mask: ['user'], answers: true })
    expect((await rules()).rules).toEqual([{ tenant: null, name, rate: 100, mask: ['user'], answers: true }])
    const call = { service: 'bureau', method: 'score', parameters: { user: 'Ann', id: 7 } }
    const answer = { payload: { user: 'Ann', score: 600 }, metadata: { status: '200' } }
    const calls = [
      { ...call, step: 's', answer: { ...answer, secret: 'x' } },
      { ...call, error: 'no route to https://bureau.example?name=Ann' },
    ]
    const texts = [
      JSON.stringify(calls),
      '{',
      '{}',
      '[1]',
      '[{"service":"s","method":"m","parameters":[],"answer":{}}]',
      `[${'['.repeat(2000)}${']'.repeat(2000)}]`,
    ]
    await beat({ decisions: texts.map((text, index) => sample(index + 1, name, { calls: text })) })
    const { items } = (await team.owner.request('GET', at)).body
    const parameters = { user: '***', id: 7 }
    expect(items.map((one: { calls: unknown }) => one.calls).toReversed()).toEqual([
      [
        { ...call, parameters, answer: { ...answer, payload: { user: '***', score: 600 } } },
        { ...call, parameters, error: 'failed' },
      ],
      ...texts.slice(1).map(() => null),
    ])
    const path = `${P}/environments/${dev}/recording`
    const limited = { name: randomUUID(), scopes: ['project.read', 'audit.read'] }
    const key = await made(team.owner.request('POST', `${team.O}/api-keys`, limited))
    expect((await platform.program(key.token).request('PUT', path, { answers: true })).status).toBe(403)
    expect((await team.owner.request('PUT', path, { answers: 'yes' })).status).toBe(400)
    await put(team.owner.request('PUT', path, { answers: false }))
    expect((await rules()).rules[0]).not.toHaveProperty('answers')
    await beat({ decisions: [sample(99, name, { calls: texts[0] })] })
    expect((await team.owner.request('GET', `${at}?limit=1`)).body.items[0]).toMatchObject({
      input: { number: 99 },
      calls: null,
    })
  })

  test('an engine that samples nothing gets no rules', async () => {
    const { engine } = await recording({ rate: 100 })
    expect(await engine.beat()).toMatchObject({ status: 200, body: { revision: expect.any(Number) } })
    expect((await engine.beat()).body).not.toHaveProperty('recording')
    expect((await engine.beat({ recording: 'something else' })).body).not.toHaveProperty('recording')
  })

  test('delivered decisions are stored once, listed, filtered and exported', async () => {
    const { name, at, beat } = await recording({ rate: 100 })
    const decisions = [1, 2, 3].map((seq) => sample(seq, name, seq === 2 ? { code: 'NO' } : {}))
    for (let time = 0; time < 3; time++) await beat({ decisions })
    const { body } = await team.owner.request('GET', at)
    expect(body.items).toHaveLength(3)
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      at: '2026-01-01T00:00:03.000Z',
      environment: 'dev',
      digest: digestOf(document(name)),
      input: { number: 3 },
      outcome: 'decided',
      code: 'OK',
      violations: null,
      output: {},
      receipt: null,
      calls: null,
    })
    expect(await numbersAt(`${at}?code=NO`)).toEqual([2])
    expect(await numbersAt(`${at}?from=2026-01-01T00:00:02Z`)).toEqual([3, 2])
    expect(await numbersAt(`${at}?to=2026-01-01T00:00:02Z`)).toEqual([1])
    expect(await numbersAt(`${at}?environment=prod`)).toEqual([])
    const page = await team.owner.request('GET', `${at}?limit=2`)
    expect(await numbersAt(`${at}?limit=2&cursor=${page.body.next_cursor}`)).toEqual([1])
    const lines = await team.owner.request('GET', `${at}?code=OK`, undefined, { accept: 'application/x-ndjson' })
    expect(lines.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).input.number),
    ).toEqual([3, 1])
    // Another session counts its samples from 1 again.
    await beat({ decisions: [sample(1, name)] }, { session: 's-2' })
    expect(await numbersAt(at)).toEqual([3, 2, 1, 1])
  })

  test('refused inputs are listed apart from decisions, with the broken rules', async () => {
    const { P, name, at, beat, dev } = await recording({ rate: 100, mask: ['ssn'] })
    const violations = [{ path: '/input/points', code: 'range', expected: 'at least 0' }]
    const refused = (seq: number) =>
      sample(seq, name, { code: undefined, violations, output: 'null', input: { ssn: 1 } })
    const { tables } = database().unscoped
    await beat({
      decisions: [
        sample(1, name),
        refused(2),
        refused(3),
        sample(4, name, { violations }),
        sample(5, name, { code: undefined }),
      ],
    })
    expect(await numbersAt(at)).toEqual([1])
    expect(await numbersAt(`${at}?outcome=decided`)).toEqual([1])
    expect(await numbersAt(`${at}?outcome=refused`)).toEqual([3, 2])
    const { body } = await team.owner.request('GET', `${at}?outcome=refused`)
    const shown = { outcome: 'refused', code: null, violations, output: null, input: { number: 3, ssn: '***' } }
    expect(body.items[0]).toMatchObject(shown)
    expect((await team.owner.request('GET', `${at}/${body.items[0].id}`)).body).toMatchObject(shown)
    const wrong = await team.owner.request('GET', `${at}?outcome=both`)
    expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('`decided` or `refused`')])
    const { refused: preview } = (
      await team.owner.request('POST', `${P}/releases/preview`, {
        title: 'x',
        rulesets: [{ name, from_seq: 1 }],
        environments: ['dev'],
      })
    ).body
    expect(preview).toEqual([])

    // A caller with many wrong inputs displaces no decisions.
    await recordingCleanUp(tables, 1).run()
    expect([await numbersAt(at), await numbersAt(`${at}?outcome=refused`)]).toEqual([[1], [3]])
    expect((await team.owner.request('DELETE', `${at}?outcome=decided`)).status).toBe(204)
    expect([await numbersAt(at), await numbersAt(`${at}?outcome=refused`)]).toEqual([[], [3]])
    expect((await team.owner.request('DELETE', at)).status).toBe(204)
    expect(
      await tables.selectFrom('recorded_decisions').select('id').where('environment_id', '=', dev).execute(),
    ).toEqual([])
  })

  test('the platform masks again, also fields that the engine did not know of yet', async () => {
    const { P, name, at, beat } = await recording({ rate: 100, mask: ['ssn'] })
    await made(team.owner.request('POST', `${P}/contracts`, contract(name, 'people.name')))
    const input = { ssn: '123-45', people: [{ name: 'Ann', age: 4 }] }
    await beat({ decisions: [sample(1, name, { input, output: '{"ssn":"123-45"}' })] })
    const { body } = await team.owner.request('GET', at)
    expect(body.items[0]).toMatchObject({
      input: { number: 1, ssn: '***', people: [{ name: '***', age: 4 }] },
      output: { ssn: '***' },
    })
    const dump = await database().unscoped.tables.selectFrom('recorded_decisions').selectAll().execute()
    expect(JSON.stringify(dump)).not.toMatch(/123-45|Ann/)
    expect(JSON.stringify(platform.lines)).not.toMatch(/123-45|Ann/)
  })

  test('a candidate of a release is kept under the name of its ruleset', async () => {
    const { name, at, beat, rules } = await recording({ rate: 100 }, (of) => [document(of), document(`${of}.r42`)])
    expect((await rules()).rules.map((one: { name: string }) => one.name)).toEqual([name, `${name}.r42`])
    await beat({ decisions: [sample(1, `${name}.r42`)] })
    const { text, body } = await team.owner.request('GET', at)
    expect(body.items).toHaveLength(1)
    expect(text).not.toContain('.r42')
  })

  test('samples without a recording rule and invalid ones are dropped; the heartbeat still counts', async () => {
    const { P, name, at, beat } = await recording({ rate: 100 })
    const other = await recording({ rate: 100 })
    const decisions = [
      sample(1, other.name),
      sample(2, name, { tenant: randomUUID() }),
      sample(3, name, { digest: 'x' }),
      sample(6, name, { at: 'yesterday' }),
      { later: true },
      { ...sample(9, name), input: 'no JSON' },
      { ...sample(10, name), input: '['.repeat(200) + ']'.repeat(200) },
      sample(7, name, { at: '2999-01-01T00:00:00Z', input: { 'a\0b': '\0', odd: '\ud800', number: 7 } }),
    ]
    await beat({ decisions })
    expect(await numbersAt(at)).toEqual([7])
    expect(await numbersAt(other.at)).toEqual([])
    expect(Date.parse((await team.owner.request('GET', at)).body.items[0].at)).toBeLessThanOrEqual(Date.now())
    await put(team.owner.request('PUT', `${P}/environments/dev/recording`, { rate: 0 }))
    await beat({ decisions: [sample(8, name)] })
    expect(await numbersAt(at)).toEqual([7])
  })

  test('a decision names its receipt, and is found by it', async () => {
    const { name, at, engine, beat } = await recording({ rate: 100 })
    const instance = `eu-1.w2/${randomUUID()}`
    const decisions = [
      sample(1, name, { receipt: `${instance}#7` }),
      sample(2, name),
      sample(3, name, { receipt: 'nowhere' }),
    ]
    await beat({ decisions })
    const { body } = await team.owner.request('GET', at)
    // The third one is of another form.
    expect(body.items.map(({ receipt }: { receipt: unknown }) => receipt)).toEqual([
      null,
      { server_id: engine.id, instance, seq: 7 },
    ])
    expect(await numbersAt(`${at}?receipt=${encodeURIComponent(`${instance}#7`)}`)).toEqual([1])
    expect(await numbersAt(`${at}?receipt=${encodeURIComponent(`${instance}#8`)}`)).toEqual([])
  })

  test('decisions are deleted by the same filters, and the audit has how many', async () => {
    const { name, at, beat } = await recording({ rate: 100 })
    await beat({ decisions: [1, 2, 3].map((seq) => sample(seq, name, seq === 2 ? { code: 'NO' } : {})) })
    expect((await team.owner.request('DELETE', `${at}?code=NO`)).status).toBe(204)
    expect(await numbersAt(at)).toEqual([3, 1])
    expect((await team.owner.request('DELETE', at)).status).toBe(204)
    expect(await numbersAt(at)).toEqual([])
    const { body } = await team.owner.request('GET', `${team.O}/audit?action=draft.decisions_deleted`)
    const counts = body.items
      .filter(({ object }: { object: { name: string } }) => object.name === name)
      .map(({ after }: { after: object }) => after)
    expect(counts).toEqual([
      { count: 2, outcome: null, code: null, receipt: null, environments: null, from: null, to: null },
      { count: 1, outcome: null, code: 'NO', receipt: null, environments: null, from: null, to: null },
    ])
  })

  test('a key that is limited to environments sees and deletes the decisions of these alone', async () => {
    const { P, name, at, beat } = await recording({ rate: 100 })
    await beat({ decisions: [sample(1, name)] })
    const key = async (environments: readonly string[]) => {
      const body = { name: randomUUID(), scopes: ['project.read', 'audit.read'], environments }
      return platform.program((await made(team.owner.request('POST', `${team.O}/api-keys`, body))).token)
    }
    const seen = async (environments: readonly string[], query = '') =>
      (await (await key(environments)).request('GET', `${at}${query}`)).body.items?.length
    expect(await seen(['dev'])).toBe(1)
    expect(await seen(['prod'])).toBe(0)
    expect((await (await key(['prod'])).request('GET', `${at}?environment=dev`)).status).toBe(400)
    expect((await (await key(['prod'])).request('DELETE', at)).status).toBe(403)
    expect((await team.owner.request('DELETE', P)).status).toBe(409)
  })

  test('one decision is found by its id, of its ruleset alone', async () => {
    const { P, name, at, beat } = await recording({ rate: 100 })
    await beat({ decisions: [sample(1, name), sample(2, name)] })
    const { items } = (await team.owner.request('GET', at)).body
    const { status, body } = await team.owner.request('GET', `${at}/${items[1].id}`)
    expect(status).toBe(200)
    expect(body).toEqual(items[1])
    await made(team.owner.request('POST', `${P}/rulesets/other`, { ruleset: grading('other'), expected_seq: 0 }))
    expect((await team.owner.request('GET', `${P}/rulesets/other/decisions/${items[1].id}`)).status).toBe(404)
    const limited = { name: randomUUID(), scopes: ['project.read', 'audit.read'], environments: ['prod'] }
    const key = await made(team.owner.request('POST', `${team.O}/api-keys`, limited))
    expect((await platform.program(key.token).request('GET', `${at}/${items[1].id}`)).status).toBe(404)
  })

  test('periodic work deletes expired and excess decisions', async () => {
    const { P, dev, name, at, beat } = await recording({ rate: 100, retention_days: 2 })
    await beat({ decisions: [1, 2, 3, 4].map((seq) => sample(seq, name)) })
    const { tables } = database().unscoped
    const age = (seq: number, days: number) =>
      tables
        .updateTable('recorded_decisions')
        .set({ created_at: new Date(Date.now() - days * 86_400_000) })
        .where('environment_id', '=', dev)
        .where('seq', '=', seq)
        .execute()
    await age(4, 2.01)
    await age(3, 1.99)
    await recordingCleanUp(tables).run()
    expect(await numbersAt(at)).toEqual([3, 2, 1])
    await recordingCleanUp(tables, 2).run()
    expect(await numbersAt(at)).toEqual([3, 2])
    expect((await team.owner.request('GET', `${P}/environments/dev`)).status).toBe(200)
  })

  test('what a real engine decides arrives masked, and nothing of it is in a log', async () => {
    const { owner, P, connectToken } = await startTeam(platform)
    const link = ['--platform-url', platform.url, '--platform-connect-token', await connectToken()]
    const engine = await startServer(...link, '--sample-decisions', '100', '--platform-server-name', randomUUID())
    const health = async () => (await engine.request('GET', '/health')).body.platform
    await vi.waitFor(async () => expect((await health()).registered).toBe(true), { timeout: LIMIT_MS })
    const bound = { environment: 'dev', server_ids: [(await health()).server_id] }
    await put(owner.request('PUT', `${P}/server`, bound))
    await put(owner.request('PUT', `${P}/environments/dev/recording`, { rate: 100, mask: ['name'] }))
    await made(owner.request('POST', `${P}/rulesets/grades`, { ruleset: grading('grades'), expected_seq: 0 }))
    await owner.request('POST', `${P}/rulesets/grades/publish`, { environment: 'dev' })
    const recorded = async () => {
      // Until it follows the rules it keeps nothing.
      await engine.post('/api/v1/execute/grades', { input: { name: 'Zaphod', points: 12 } })
      const { body } = await owner.request('GET', `${P}/rulesets/grades/decisions`)
      expect(body.items.length).toBeGreaterThan(0)
    }
    await vi.waitFor(recorded, { timeout: LIMIT_MS, interval: 200 })
    expect(engine.logged.join('\n')).not.toContain('Zaphod')
    await engine.stop()
    const { body } = await owner.request('GET', `${P}/rulesets/grades/decisions`)
    expect(body.items[0]).toMatchObject({
      environment: 'dev',
      code: 'GRANTED',
      input: { name: '***', points: 12 },
      output: { limit: 10 },
    })
  })
})
