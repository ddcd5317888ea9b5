import { DURATION_BOUNDS } from '@engine/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf } from '../../apps/platform-server/src/features/engines/branch-counts.ts'
import { historyCleanUp } from '../../apps/platform-server/src/features/engines/statistics.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { addEngine, engineNamed, startTeam, type Team } from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database())
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  const ask = (method: string, path: string, body?: object) => team.owner.request(method, team.P + path, body)

  /** An engine that serves `dev`. */
  async function serving(more: object = {}) {
    const engine = await addEngine(platform, await team.connectToken(), engineNamed(newName(), more))
    expect((await ask('PUT', '/server', { environment: 'dev', server_ids: [engine.id] })).status).toBe(200)
    return engine
  }

  /** A ruleset that is published to `dev`: its digest. */
  async function publish(name: string, points: number, seq: number): Promise<string> {
    const ruleset = grading(name, points, { version: `1.0.${points}` })
    expect((await ask('POST', `/rulesets/${name}`, { ruleset, expected_seq: seq })).status).toBeLessThan(300)
    const { status, body } = await ask('POST', `/rulesets/${name}/publish`, { environment: 'dev' })
    expect(status).toBe(202)
    return body.digest
  }

  const counted = (name: string, digest: string, ok: number, error: number, more: object = {}) => ({
    tenant: null,
    name,
    digest,
    ok,
    error,
    codes: { GRANTED: ok },
    duration: {
      counts: DURATION_BOUNDS.map((_, index) => (index === 3 ? ok + error : 0)),
      sum_seconds: (ok + error) / 1e5,
    },
    ...more,
  })
  const statsOf = async (name: string, query = '') => (await ask('GET', `/rulesets/${name}/stats${query}`)).body

  test('counts of engines are shown by environment and content, each execution once', async () => {
    const name = newName()
    const [engine, digest] = [await serving(), await publish(name, 10, 0)]
    for (const [ok, errors] of [
      [10, 1],
      [10, 1],
      [25, 5],
    ] as const)
      await engine.beat({ session: 'one', stats: [counted(name, digest, ok, errors)] })
    // A process that begins again counts from 0.
    await engine.beat({ session: 'two', stats: [counted(name, digest, 7, 0)] })
    const { environments, step_seconds } = await statsOf(name)
    expect(step_seconds).toBe(60)
    expect(environments).toEqual([
      {
        environment_id: expect.any(String),
        environment: 'dev',
        contents: [
          {
            digest,
            version: '1.0.10',
            executions: 37,
            errors: 5,
            codes: { GRANTED: 32 },
            latency_us: { mean: 10, p50: 10, p90: 10, p99: 10 },
            points: expect.any(Array),
          },
        ],
      },
    ])
    const { points } = environments[0].contents[0]
    const sum = (key: 'executions' | 'errors') =>
      points.reduce((total: number, point: Record<string, number>) => total + (point[key] ?? 0), 0)
    expect([sum('executions'), sum('errors')]).toEqual([37, 5])
    const granted = points.reduce(
      (total: number, point: { codes: { GRANTED: number } }) => total + point.codes.GRANTED,
      0,
    )
    expect(granted).toBe(32)
  })

  test('contents are counted separately, candidates of canaries included, and those of no environment are not shown', async () => {
    const name = newName()
    const engine = await serving()
    const [first, second] = [await publish(name, 10, 0), await publish(name, 20, 1)]
    const others = [`${name}.other`, `${name}x`, 'local']
    const stats = [
      counted(name, first, 3, 0),
      counted(name, second, 5, 0),
      ...others.map((other) => counted(other, first, 100, 0)),
    ]
    await engine.beat({ session: 'one', stats })
    const { environments } = await statsOf(name)
    const executions = environments[0].contents.map((one: { digest: string; executions: number }) => [
      one.digest,
      one.executions,
    ])
    expect(new Map(executions)).toEqual(
      new Map([
        [first, 3],
        [second, 5],
      ]),
    )
    expect(environments).toHaveLength(1)
  })

  test('of an engine with tenants those of its environment count', async () => {
    const name = newName()
    const engine = await serving({ tenants: true })
    const digest = await publish(name, 10, 0)
    const { body } = await ask('GET', '/environments/dev')
    const stats = [
      counted(name, digest, 4, 0, { tenant: body.id }),
      counted(name, digest, 50, 0, { tenant: 'another' }),
      counted(name, digest, 60, 0),
    ]
    await engine.beat({ session: 'one', stats })
    expect((await statsOf(name)).environments[0].contents).toMatchObject([{ executions: 4 }])
  })

  test('only the requested period counts, a key sees its environments, and old counts are deleted', async () => {
    const name = newName()
    const [engine, digest] = [await serving(), await publish(name, 10, 0)]
    await engine.beat({ session: 'one', stats: [counted(name, digest, 4, 0)] })
    expect((await statsOf(name, '?to=2026-01-01T00:00:00Z')).environments).toEqual([])
    expect((await statsOf(name, '?step=3600')).environments[0].contents[0].points).toHaveLength(1)
    const keyOf = async (environment: string) => {
      const request = { name: newName(), scopes: ['project.read'], environments: [environment] }
      const { body } = await team.owner.request('POST', `${team.O}/api-keys`, request)
      return platform.program(body.token).request('GET', `${team.P}/rulesets/${name}/stats`)
    }
    expect((await keyOf('dev')).body.environments).toHaveLength(1)
    expect((await keyOf('prod')).body.environments).toEqual([])
    await historyCleanUp(database().unscoped.tables, 1).run()
    expect((await statsOf(name)).environments).toHaveLength(1)
    await historyCleanUp(database().unscoped.tables, -1).run()
    expect((await statsOf(name)).environments).toEqual([])
  })

  describe('branches', () => {
    const branchesOf = async (name: string, digest: string) =>
      (await ask('GET', `/rulesets/${name}/branch-counts?digest=${digest}`)).body.environments

    test('are counted by environment and content, of all engines, each execution once', async () => {
      const name = newName()
      const [one, other, digest] = [await serving(), await serving(), await publish(name, 10, 0)]
      const servers = { environment: 'dev', server_ids: [one.id, other.id] }
      expect((await ask('PUT', '/server', servers)).status).toBe(200)
      expect(await branchesOf(name, digest)).toEqual([])
      const beat = (engine: typeof one, session: string, ok: number, branches: object) =>
        engine.beat({ session, stats: [counted(name, digest, ok, 0, { branches })] })
      await beat(one, 'one', 10, { grade: [7, 3] })
      await beat(one, 'one', 10, { grade: [7, 3] })
      await beat(one, 'one', 15, { grade: [9, 6], later: [0, 5] })
      // A process that begins again counts from 0.
      await beat(one, 'two', 1, { grade: [1, 0] })
      await beat(other, 'one', 4, { grade: [0, 4] })
      const expected = [
        {
          environment_id: expect.any(String),
          environment: 'dev',
          executions: 20,
          branches: { grade: [10, 10], later: [0, 5] },
        },
      ]
      expect(await branchesOf(name, digest)).toEqual(expected)
      const rename = (ruleset: string) =>
        database()
          .unscoped.tables.updateTable('branch_counts')
          .set({ ruleset })
          .where('digest', '=', digest)
          .where('server_id', '=', other.id)
          .execute()
      // As a candidate of a canary, and as another ruleset of the same content.
      await rename(`${name}.r12`)
      expect(await branchesOf(name, digest)).toEqual(expected)
      await rename(`${name}.other`)
      expect((await branchesOf(name, digest))[0].executions).toBe(16)
      expect(await branchesOf(name, '0'.repeat(64))).toEqual([])
    })

    test('that an engine does not report are none', async () => {
      const name = newName()
      const [engine, digest] = [await serving(), await publish(name, 10, 0)]
      await engine.beat({ session: 'one', stats: [counted(name, digest, 4, 0)] })
      expect(await branchesOf(name, digest)).toEqual([])
    })

    test('are counted for 30 days, by day, and a key sees its environments', async () => {
      const name = newName()
      const [engine, digest] = [await serving(), await publish(name, 10, 0)]
      await engine.beat({ session: 'one', stats: [counted(name, digest, 4, 0, { branches: { grade: [4] } })] })
      const { tables } = database().unscoped
      const counts = () => tables.updateTable('branch_counts').where('digest', '=', digest)
      const moveTo = (days: number) =>
        counts()
          .set({ day: dayOf(new Date(Date.now() - days * 86_400_000)) })
          .execute()
      for (const [days, executions] of [
        [29, 4],
        [30, undefined],
      ] as const) {
        await moveTo(days)
        expect((await branchesOf(name, digest))[0]?.executions).toBe(executions)
      }
      const kept = async () =>
        (await tables.selectFrom('branch_counts').select('day').where('digest', '=', digest).execute()).length
      await moveTo(29)
      await historyCleanUp(tables, 1).run()
      expect(await kept()).toBe(1)
      const request = { name: newName(), scopes: ['project.read'], environments: ['prod'] }
      const { body } = await team.owner.request('POST', `${team.O}/api-keys`, request)
      const path = `${team.P}/rulesets/${name}/branch-counts?digest=${digest}`
      expect((await platform.program(body.token).request('GET', path)).body.environments).toEqual([])
      await moveTo(32)
      await historyCleanUp(tables, 1).run()
      expect(await kept()).toBe(0)
    })

    test.each(['', '?digest=abc', `?digest=${'G'.repeat(64)}`])('%s of no content are refused', async (query) => {
      const name = newName()
      await publish(name, 10, 0)
      const { status, body } = await ask('GET', `/rulesets/${name}/branch-counts${query}`)
      expect([status, body.message ?? body.error]).toEqual([
        400,
        expect.stringContaining('the SHA-256 of a content: 64 hexadecimal digits'),
      ])
    })
  })
})
