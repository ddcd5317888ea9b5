import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { writeBackup } from '../../apps/platform-server/src/database/backup.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { readMigrations } from '../../apps/platform-server/src/database/migrations.ts'
import {
  connectDatabase,
  type Connected,
  type DatabaseLocation,
  openDatabase,
} from '../../apps/platform-server/src/database/connection.ts'
import { restoreBackup } from '../../apps/platform-server/src/database/restore.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { killAll } from '../engine-server.testing.ts'
import { answering, connections, startCrew } from '../workers.testing.ts'
import { DATABASES_OF_API, newLocation, useDatabase } from './databases.testing.ts'
import { addEngine, digestOf, type Document, engineNamed, startTeam, type Team, want } from './engines.testing.ts'
import { newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { type Releasing, startReleasing } from './rollouts.testing.ts'

const A = '/api/v1'
const named = (code: string, name = 'rule') => answering(code, name) as unknown as Document
const heldAs = (document: Document, more: object = {}) => ({
  tenant: null,
  name: document.config.name,
  version: '1.0.0',
  digest: digestOf(document),
  ...more,
})

/** Let the differences of all engines have begun two minutes earlier, and their repairs been sent so. */
async function waitTwoMinutes(database: Database): Promise<void> {
  const { tables } = database.unscoped
  for (const { id, drift, drift_since: since, drift_repaired_at: repaired } of await tables
    .selectFrom('servers')
    .select(['id', 'drift', 'drift_since', 'drift_repaired_at'])
    .where('drift', 'is not', null)
    .execute()) {
    const earlier = (drift as unknown as { since: number }[]).map((one) => ({ ...one, since: one.since - 120_000 }))
    const back = (at: Date | null) => (at === null ? null : new Date(at.getTime() - 120_000))
    await tables
      .updateTable('servers')
      .set({ drift: JSON.stringify(earlier), drift_since: back(since), drift_repaired_at: back(repaired) })
      .where('id', '=', id)
      .execute()
  }
}

describe.each(DATABASES_OF_API)('an engine whose rulesets differ from the desired ones, on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  let environment: string
  beforeAll(async () => {
    platform = await startPlatform(database())
    team = await startTeam(platform)
    environment = (await team.owner.request('GET', `${team.P}/environments/prod`)).body.id
  })
  afterAll(() => platform.stop())

  const RIGHT = [named('A'), named('B', 'second')]

  /** An engine that serves an environment which wants two rulesets, and its revision. */
  async function bound() {
    const engine = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID()))
    await team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: [engine.id] })
    await want(database(), team.org, environment, RIGHT)
    const { revision } = (await engine.beat()).body
    const server = async () => (await team.owner.request('GET', `${A}/servers/${engine.id}`)).body
    const says = async (rulesets: readonly object[], more: object = {}) =>
      (await engine.beat({ applied_revision: revision, digest: randomUUID(), rulesets, ...more })).body
    return { engine, revision, server, says }
  }

  const wrong = heldAs(named('WRONG'))
  const second = heldAs(named('B', 'second'))
  test.each<[string, readonly object[], readonly object[]]>([
    ['another content', [wrong, second], [{ tenant: null, name: 'rule', digest: digestOf(named('A')) }]],
    ['a ruleset that is missing', [second], [{ tenant: null, name: 'rule', digest: digestOf(named('A')) }]],
    [
      'a delivered ruleset that nothing wants',
      [...RIGHT.map((one) => heldAs(one)), heldAs(named('X', 'extra'), { delivered: true })],
      [{ tenant: null, name: 'extra', deleted: true }],
    ],
  ])('for longer than a minute shows and audits %s, and is sent the repair', async (_name, rulesets, repair) => {
    const { engine, revision, server, says } = await bound()
    expect((await says(rulesets)).changes).toEqual([])
    expect((await server()).problems).toEqual([])
    await waitTwoMinutes(database())
    const [{ name, digest = null }] = repair as [{ name: string; digest?: string }]
    const metrics = async () => (await (await fetch(`${platform.url}/metrics`)).text()).match(/^.*_drifted \d+/m)?.[0]
    expect((await server()).problems).toEqual([
      { tenant: null, name, digest, message: expect.stringMatching(/sent again$/), retried: true },
    ])
    expect(await metrics()).toBe('engine_platform_servers_drifted 1')
    // Immediately, though the answer could be held.
    const answer = await says(rulesets, { wait_ms: 25_000 })
    expect(answer).toMatchObject({ revision, changes: repair })
    // No more than once a minute: an engine that cannot follow is not kept busy.
    expect((await says(rulesets)).changes).toEqual([])
    await waitTwoMinutes(database())
    expect((await says(rulesets)).changes).toEqual(repair)
    const { items } = (await team.owner.request('GET', `${team.O}/audit?action=server.drift_repaired`)).body
    expect(items.filter((one: { object: { id: string } }) => one.object.id === engine.id)).toMatchObject([
      { after: { rulesets: [{ name, digest }] } },
    ])
    await says(RIGHT.map((one) => heldAs(one)))
    expect((await server()).problems).toEqual([])
    expect(await metrics()).toBe('engine_platform_servers_drifted 0')
  })

  test.each<[string, readonly object[], object]>([
    ['that is its own', [...RIGHT.map((one) => heldAs(one)), heldAs(named('X', 'local'))], {}],
    [
      'that it reports as a problem',
      [second],
      { problems: [{ tenant: null, name: 'rule', digest: digestOf(named('A')), message: 'refused', retried: false }] },
    ],
    ['that is still under way', [second], { applied_revision: 1 }],
  ])('is sent no repair of a ruleset %s', async (_name, rulesets, more) => {
    const { server, says } = await bound()
    await says(rulesets, more)
    await waitTwoMinutes(database())
    const { changes } = await says(rulesets, { ...more })
    expect(changes.filter(({ name }: { name: string }) => name === 'local')).toEqual([])
    const texts = (await server()).problems.map(({ message }: { message: string }) => message)
    expect(texts.filter((text: string) => text.endsWith('sent again'))).toEqual([])
  })

  test.runIf(kind === 'postgres')(
    'reports during a change of its organization: neither waits for the other',
    async () => {
      const { says } = await bound()
      await database().change(team.org as OrgId, SYSTEM, async ({ lock }) => {
        await lock()
        expect((await says([wrong, second])).changes).toEqual([])
      })
    },
  )

  test('that refers to another list than the stored one is asked to send its list', async () => {
    const { engine, revision, says } = await bound()
    await says(RIGHT.map((one) => heldAs(one)))
    const { body } = await engine.beat({ applied_revision: revision, digest: 'another' })
    expect(body).toMatchObject({ changes: [], report_rulesets: true })
  })
})

describe('a real engine whose rulesets differ from the desired ones', () => {
  const database = useDatabase('postgres')
  let its: Releasing
  let environment: string
  let folder: string
  beforeAll(async () => {
    its = await startReleasing(database())
    environment = (await its.get(`${its.team.P}/environments/prod`)).id
    folder = mkdtempSync(join(tmpdir(), 'platform-drift-engine-'))
  })
  afterAll(async () => {
    await its.stop()
    await killAll()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Have an engine be wanted other contents without a new revision, as after a point-in-time recovery. */
  async function rewrite(server: string, name: string, document: Document | undefined): Promise<void> {
    const { tables } = database().unscoped
    if (document !== undefined)
      await tables
        .insertInto('ruleset_contents')
        .values({ digest: digestOf(document), content: JSON.stringify(document) })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    await tables
      .updateTable('server_rulesets')
      .set({ digest: document === undefined ? null : digestOf(document) })
      .where('server_id', '=', server)
      .where('name', '=', name)
      .execute()
    // A recovery also takes back which contents were found equal.
    await tables.updateTable('servers').set({ compared_digest: null }).where('id', '=', server).execute()
  }

  test('with workers: all of them decide by the repair', async () => {
    const name = newName()
    const crew = await startCrew(
      `--platform-url=${its.platform.url}`,
      `--platform-connect-token=${await its.team.connectToken()}`,
      `--platform-server-name=${name}`,
      `--rules-dir=${join(folder, name)}`,
      '--multi-tenancy-enabled',
    )
    onTestFinished(async () => void (await crew.stop()))
    const all = await connections(crew.url, 2)
    onTestFinished(() => all.forEach((one) => one.close()))
    const health = async () => (await all[0]?.request('GET', '/health'))?.body.platform
    await expect.poll(async () => (await health()).registered).toBe(true)
    const { server_id: server } = await health()
    await its.team.owner.request('PUT', `${its.team.P}/server`, { environment: 'prod', server_ids: [server] })
    onTestFinished(
      async () =>
        void (await its.team.owner.request('PUT', `${its.team.P}/server`, { environment: 'prod', server_ids: [] })),
    )
    const codesOf = (rule: string) =>
      Promise.all(
        all.map(async (one) => {
          const path = `/api/v1/execute/${rule}`
          const { status, body } = await one.request('POST', path, { input: {} }, { 'x-tenant-id': environment })
          return status === 200 ? body.code : status
        }),
      )
    const [kept, extra] = [`kept-${name}`, `extra-${name}`]
    await want(database(), its.team.org, environment, [named('FIRST', kept), named('EXTRA', extra)])
    await expect.poll(() => codesOf(kept)).toEqual(['FIRST', 'FIRST'])
    await expect.poll(() => codesOf(extra)).toEqual(['EXTRA', 'EXTRA'])
    await rewrite(server, kept, named('REPAIRED', kept))
    await rewrite(server, extra, undefined)
    await expect
      .poll(async () => {
        await waitTwoMinutes(database())
        return [...(await codesOf(kept)), ...(await codesOf(extra))]
      })
      .toEqual(['REPAIRED', 'REPAIRED', 404, 404])
    await expect.poll(async () => (await its.get(`${A}/servers/${server}`)).problems).toEqual([])
  })

  test('in a canary: its candidate is repaired, or removed where it does not belong, while every decision is answered', async () => {
    const name = newName()
    const { id: server, engine } = await its.serving('prod')
    await its.reaches(await its.deploy(name, '2', 'prod'), 'completed')
    const canary = (settings: object) =>
      its.team.owner.request('PUT', `${its.team.P}/environments/prod/canary`, settings)
    onTestFinished(async () => void (await canary({ stages: [] })))
    expect((await canary({ stages: [{ percent: 50, duration_s: 3600 }], on_failure: 'rollback' })).status).toBe(200)
    const release = await its.deploy(name, '3', 'prod')
    const { number } = await its.get(release)
    const candidate = `${name}.r${number}`
    const failed: unknown[] = []
    /** The fees that forty callers get; each must get one. */
    const fees = async () => {
      const seen = new Set<number>()
      for (let key = 0; key < 40; key++) {
        const { status, text, body } = await its.decide('prod', name, `user-${key}`)
        if (status === 200) seen.add(body.output.fee)
        else failed.push([status, text])
      }
      return [...seen].toSorted((left, right) => left - right)
    }
    await expect.poll(fees).toEqual([20, 30])
    const held = async (rule: string) =>
      (await engine.request('GET', `/api/v1/rulesets/${rule}`, { headers: { 'x-tenant-id': environment } })).body
    const before = (await held(candidate)) as Document
    await rewrite(
      server,
      candidate,
      JSON.parse(JSON.stringify(before).replaceAll('amount * 3', 'amount * 4')) as Document,
    )
    await expect
      .poll(async () => {
        await waitTwoMinutes(database())
        return fees()
      })
      .toEqual([20, 40])
    expect(await its.get(`${A}/servers/${server}`)).toMatchObject({ status: 'online' })
    expect((await its.post(`${release}/abort`)).status).toBe(200)
    await expect.poll(async () => (await its.get(release)).status).toBe('cancelled')
    await expect.poll(async () => (await held(candidate)).code).toBe('NOT_FOUND')
    // An engine that has missed that keeps a candidate that nothing wants.
    await rewrite(server, candidate, before)
    await expect
      .poll(async () => {
        await waitTwoMinutes(database())
        return (await held(candidate)).config?.name
      })
      .toBe(candidate)
    await rewrite(server, candidate, undefined)
    await expect
      .poll(async () => {
        await waitTwoMinutes(database())
        return (await held(candidate)).code
      })
      .toBe('NOT_FOUND')
    expect(await fees()).toEqual([20])
    expect(failed).toEqual([])
  })
})

describe('after a restore from a backup while an engine was offline', () => {
  const { log } = memoryLog()
  let folder: string
  let location: DatabaseLocation
  let connected: Connected
  let database: Database
  let platform: TestPlatform
  let team: Team
  let environment: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'platform-drift-'))
    location = await newLocation('postgres')
    database = await openDatabase(location, log)
    connected = await connectDatabase(location, log)
    platform = await startPlatform(database, ['--heartbeat-interval-secs', '1'])
    team = await startTeam(platform)
    environment = (await team.owner.request('GET', `${team.P}/environments/dev`)).body.id
  })
  afterAll(async () => {
    await platform.stop()
    await database.close()
    await connected.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const identity = async () =>
    (await connected.pool.query<{ id: string }>('select id from database_identity')).rows[0]?.id ?? ''
  /** In place, as by the tools of the server. */
  async function goBack(file: string, isNoticed: boolean): Promise<void> {
    const before = await identity()
    await connected.pool.query('drop schema public cascade; create schema public')
    await restoreBackup(connected.pool, file, readMigrations(), '--to', log)
    expect(await identity()).not.toBe(before)
    if (!isNoticed) await connected.pool.query('update database_identity set id = $1', [before])
  }

  test.each([
    ['by a restore, is asked for the complete state by it', true],
    ['by a point-in-time recovery, repairs the differences', false],
  ])('%s: no content of the lost period remains', async (_name, isNoticed) => {
    const name = randomUUID()
    const options = [
      `--platform-url=${platform.url}`,
      `--platform-connect-token=${await team.connectToken()}`,
      `--platform-server-name=${name}`,
      `--rules-dir=${join(folder, name)}`,
      '--multi-tenancy-enabled',
    ]
    const started = async () => {
      const engine = await startServer(...options)
      onTestFinished(() => engine.stop())
      return engine
    }
    const codeOf = async (engine: TestServer, rule: string) => {
      const { status, body } = await engine.post(
        `/api/v1/execute/${rule}`,
        { input: {} },
        { 'x-tenant-id': environment },
      )
      return status === 200 ? body.code : status
    }
    const holds = async (engine: TestServer, codes: Readonly<Record<string, unknown>>) => {
      await expect
        .poll(async () => {
          await waitTwoMinutes(database)
          const found = Object.keys(codes).map(async (rule) => [rule, await codeOf(engine, rule)])
          return Object.fromEntries(await Promise.all(found))
        })
        .toEqual(codes)
    }
    const first = await started()
    const health = async () => (await first.request('GET', '/health')).body.platform
    await expect.poll(async () => (await health()).registered).toBe(true)
    await team.owner.request('PUT', `${team.P}/server`, {
      environment: 'dev',
      server_ids: [(await health()).server_id],
    })
    await want(database, team.org, environment, [named('a6', 'a')])
    await holds(first, { a: 'a6' })
    const file = join(folder, `${name}.ndjson`)
    await writeBackup(connected.pool, file, '--from')
    await want(database, team.org, environment, [named('a9', 'a'), named('LOST', 'lost')])
    await holds(first, { a: 'a9', lost: 'LOST' })
    await first.stop()
    await goBack(file, isNoticed)
    // Revisions follow the clock: those of before are passed.
    await want(database, team.org, environment, [named('a6', 'a'), named('b', 'b')])
    await holds(await started(), { a: 'a6', b: 'b', lost: 404 })
  })
})
