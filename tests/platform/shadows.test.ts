import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Compute } from '../../apps/platform-server/src/compute/compute.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { startComparison } from '../../apps/platform-server/src/features/shadows/comparison.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import type { TestServer } from '../http/server.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { decidingProgram, startLinked, startTeam, type Team } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

/** Only ends what hangs. */
const LIMIT_MS = 60_000

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let engine: TestServer
let caller: Client
beforeAll(async () => {
  platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1', '--rate-limit', '0'])
  team = await startTeam(platform)
  const linked = await startLinked(platform, await team.connectToken())
  engine = linked.engine
  await team.owner.request('PUT', `${team.P}/server`, { environment: 'dev', server_ids: [linked.id] })
  caller = await decidingProgram(platform, team)
})
afterAll(async () => {
  await engine.stop()
  await platform.stop()
})

const at = (name: string) => `${team.P}/rulesets/${name}`
const all = () => `${team.P}/shadows`
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

/** A ruleset that is live in `dev`, and a later save. */
async function liveAnd(later: (name: string) => object, live: (name: string) => object = grading): Promise<string> {
  const name = newName()
  await made(team.owner.request('POST', at(name), { ruleset: live(name), expected_seq: 0 }))
  expect((await team.owner.request('POST', `${at(name)}/publish`, { environment: 'dev' })).status).toBe(202)
  const deployed = async () =>
    expect((await team.owner.request('GET', `${at(name)}/deployments`)).body.items[0].status).toBe('success')
  await vi.waitFor(deployed, { timeout: LIMIT_MS })
  const saved = await team.owner.request('POST', at(name), { ruleset: later(name), expected_seq: 1 })
  expect(saved.status, saved.text).toBe(200)
  return name
}

const shadowOf = (ruleset: string, more: object = {}) =>
  team.owner.request('POST', all(), {
    ruleset,
    from_seq: 2,
    environment: 'dev',
    percent: 100,
    ends_at: soon(),
    ...more,
  })

const decide = (name: string, input: object, headers: Readonly<Record<string, string>> = {}) =>
  caller.request(
    'POST',
    `/api/v1/engine/${team.project}/execute/${name}`,
    { input },
    { 'x-environment': 'dev', ...headers },
  )

const report = async (id: string) => (await team.owner.request('GET', `${all()}/${id}`)).body
/** Waits until this number of requests was compared. */
const compared = (id: string, requests: number) =>
  vi.waitFor(async () => expect(await report(id)).toMatchObject({ requests }), { timeout: LIMIT_MS, interval: 50 })

const STRICTER = (name: string) => grading(name, 20)

describe('a shadow', () => {
  test('counts the decisions that differ by their codes, with masked examples, and changes no answer', async () => {
    const name = await liveAnd(STRICTER)
    await team.owner.request('PUT', `${team.P}/environments/dev/recording`, { mask: ['name'] })
    const contract = {
      name,
      version: '1.0.0',
      input: {
        fields: [
          { name: 'points', type: 'number' },
          { name: 'card.number', type: 'string', sensitive: true },
        ],
      },
      outputs: [
        { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
        { code: 'REFUSED', fields: [] },
      ],
    }
    await made(team.owner.request('POST', `${team.P}/contracts`, contract))
    const shadow = await made(shadowOf(name))
    for (const points of [5, 15, 16, 17, 18, 25]) {
      const { status, body } = await decide(name, { name: 'Ann Example', card: { number: '4711 0815' }, points })
      expect([status, body.code]).toEqual([200, points >= 10 ? 'GRANTED' : 'REFUSED'])
    }
    await compared(shadow.id, 6)
    const { transitions, ...counts } = await report(shadow.id)
    // With 25 points both grant, by another limit.
    expect(counts).toMatchObject({ requests: 6, changed: 5, dropped: 0 })
    expect(
      transitions.map(({ examples, ...rest }: { examples: readonly object[] }) => [rest, examples.length]),
    ).toEqual([
      [{ from: 'GRANTED', to: 'REFUSED', count: 4 }, 3],
      [{ from: 'GRANTED', to: 'GRANTED', count: 1 }, 1],
    ])
    expect(transitions[0].examples[0]).toEqual({
      input: { name: '***', card: { number: '***' }, points: 15 },
      live: { code: 'GRANTED', message: '', output: { limit: 10 } },
      candidate: { code: 'REFUSED', message: '', output: {} },
    })
    const stored = await database().unscoped.tables.selectFrom('shadow_transitions').selectAll().execute()
    expect(JSON.stringify(stored)).not.toMatch(/Ann Example|4711 0815/)
    expect(JSON.stringify(platform.lines)).not.toMatch(/Ann Example|4711 0815/)
    // No engine has the candidate.
    const served = (await engine.request('GET', `/api/v1/rulesets/${name}`)).body
    expect(JSON.stringify(served)).not.toContain('points >= 20')
  })

  test('reads answers and requests that are compressed', async () => {
    const name = await liveAnd(STRICTER)
    const shadow = await made(shadowOf(name))
    const text = 'x'.repeat(5000)
    for (const coding of ['gzip', 'zstd', 'identity'])
      await decide(name, { points: 15, text }, { 'accept-encoding': coding })
    await compared(shadow.id, 3)
    expect(await report(shadow.id)).toMatchObject({ changed: 3 })
  })

  test('finds candidates that fail, and none where both fail', async () => {
    const failing = (name: string) => grading(name, 10, { fieldMissing: 'strict' })
    const name = await liveAnd(failing)
    const shadow = await made(shadowOf(name))
    await decide(name, { points: 11 })
    await decide(name, {})
    await compared(shadow.id, 2)
    const { changed, transitions } = await report(shadow.id)
    expect([changed, transitions]).toMatchObject([1, [{ from: 'REFUSED', to: null, count: 1 }]])
  })

  test('of a share of the requests does not affect the others, and ends at its time', async () => {
    const name = await liveAnd(STRICTER)
    const none = await made(shadowOf(name, { percent: 0.000001 }))
    for (let count = 0; count < 5; count++) await decide(name, { points: 15 })
    expect((await team.owner.request('DELETE', `${all()}/${none.id}`)).status).toBe(204)
    const over = await made(shadowOf(name, { ends_at: new Date(Date.now() + 1).toISOString() }).then(again))
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(over.ends_at)))
    await decide(name, { points: 15 })
    // Another shadow may begin; it counts only later requests.
    const next = await made(shadowOf(name))
    await decide(name, { points: 15 })
    await compared(next.id, 1)
    expect(await report(over.id)).toMatchObject({ requests: 0, changed: 0, dropped: 0, transitions: [] })

    /** One that was over before it was made is made with more time. */
    async function again(answer: Awaited<ReturnType<typeof shadowOf>>) {
      return answer.status === 201 ? answer : shadowOf(name, { ends_at: new Date(Date.now() + 500).toISOString() })
    }
  })

  test('accounts for every request, also where a candidate takes too much time, and delays no answer', async () => {
    // It creates little, so that no limit of memory ends it before that of time.
    const value = `contains("${'a'.repeat(20_000)}", format("a{0}", points))`
    const endless = (name: string) => ({
      config: { name, version: '1.0.0', timeout: 0, maxDepth: 1_000_000 },
      startStepId: 'a',
      steps: [{ id: 'a', type: 'action', assignments: [{ name: 'x', value }], nextStepId: 'a' }],
    })
    const name = await liveAnd(endless)
    const shadow = await made(shadowOf(name))
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide(name, { points: 15 })))
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['GRANTED']))
    const accounted = async () => {
      const { requests, dropped } = await report(shadow.id)
      expect(requests + dropped).toBe(6)
    }
    await vi.waitFor(accounted, { timeout: LIMIT_MS, interval: 50 })
  })

  test('drops requests while too many wait, and counts them', async () => {
    const name = await liveAnd(STRICTER)
    const { id, digest } = await made(shadowOf(name))
    const gate = Promise.withResolvers<void>()
    const slow: Pick<Compute, 'run'> = {
      run: () => gate.promise.then(() => ({ kind: 'over', message: '' })),
    }
    const comparison = startComparison(database(), slow, memoryLog().log)
    const common = { org: team.org as OrgId, environment: '', ruleset: name, percent: 100, endsAt: Infinity, mask: [] }
    const body = { bytes: Buffer.from('{}'), coding: undefined }
    for (let count = 0; count < 70; count++)
      comparison.offer({ ...common, id, digest }, { request: body, answer: { ...body, status: 200 } })
    // One is being compared and 64 wait.
    await vi.waitFor(async () => expect(await report(id)).toMatchObject({ dropped: 5 }), { timeout: LIMIT_MS })
    const stopped = comparison.stop()
    gate.resolve()
    await stopped
    expect(await report(id)).toMatchObject({ requests: 0, dropped: 70 })
  })

  test('counts wait while the database is unavailable', async () => {
    const name = await liveAnd(STRICTER)
    const { id, digest } = await made(shadowOf(name))
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    const errors = [away, away]
    const failing: Database = {
      ...database(),
      note(...parts) {
        const error = errors.shift()
        return error === undefined ? database().note(...parts) : Promise.reject(error)
      },
    }
    const idle: Pick<Compute, 'run'> = { run: () => Promise.reject(new Error('unused')) }
    const lost: number[] = []
    const comparison = startComparison(failing, idle, memoryLog().log, (requests) => void lost.push(requests))
    const common = { org: team.org as OrgId, environment: '', ruleset: name, percent: 100, endsAt: Infinity, mask: [] }
    comparison.dropped({ ...common, id, digest })
    comparison.dropped({ ...common, id, digest })
    await vi.waitFor(async () => expect(await report(id)).toMatchObject({ dropped: 2 }), { timeout: LIMIT_MS })
    await comparison.stop()
    expect([await report(id), lost]).toMatchObject([{ dropped: 2 }, []])
  })

  test('of a ruleset that calls others is refused', async () => {
    const calling = (name: string) => ({
      config: { name, version: '1.0.0' },
      startStepId: 'ask',
      steps: [
        {
          id: 'ask',
          type: 'action',
          assignments: [],
          externalCalls: [{ type: 'http', target: 'https://example.com/', resultVariable: 'x' }],
          nextStepId: 'end',
        },
        { id: 'end', type: 'terminal', code: 'OK' },
      ],
    })
    const name = await liveAnd(calling)
    const { status, body } = await shadowOf(name)
    expect([status, body.details[0].path, body.error]).toEqual([
      400,
      '/from_seq',
      expect.stringContaining('calls others'),
    ])
  })

  test('is one of a ruleset in an environment; others, unknown ones and past ones are refused', async () => {
    const name = await liveAnd(STRICTER)
    const shadow = await made(shadowOf(name))
    expect((await shadowOf(name)).body.details[0].code).toBe('duplicate')
    for (const [path, more] of [
      ['/ruleset', { ruleset: 'unknown' }],
      ['/from_seq', { from_seq: 3 }],
      ['/environment', { environment: 'unknown' }],
      ['/ends_at', { ends_at: '2020-01-01T00:00:00Z' }],
      ['/ends_at', { ends_at: '2999-01-01T00:00:00Z' }],
      ['/percent', { percent: 0 }],
      ['/percent', { percent: 101 }],
    ] as const) {
      const { status, body } = await shadowOf(name, more)
      expect([status, body.details?.[0].path], JSON.stringify(more)).toEqual([400, path])
    }
    const listed = (await team.owner.request('GET', `${all()}?q=${name}`)).body.items
    expect(listed).toEqual([shadow])
    expect((await team.owner.request('GET', `${all()}/${randomUUID()}`)).status).toBe(404)
    expect((await team.owner.request('DELETE', `${all()}/${shadow.id}`)).status).toBe(204)
    expect((await team.owner.request('GET', `${all()}/${shadow.id}`)).status).toBe(404)
    const { body } = await team.owner.request('GET', `${team.O}/audit?object_id=${shadow.id}`)
    expect(body.items.map(({ action }: { action: string }) => action)).toEqual(['shadow.deleted', 'shadow.created'])
  })
})
