import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Analyses } from '../../apps/platform-server/src/compute/analyses.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { startReplays } from '../../apps/platform-server/src/features/replays/work.ts'
import { failures } from '../../apps/platform-server/src/errors.ts'
import { HttpError } from '@engine/http-server'
import { NOTHING_REPLAYED } from '../../packages/analysis/src/index.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { readEvents } from './events.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { changedRuleset, recordDecisions } from './recorded-decisions.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made, refusal } from './team.testing.ts'
import { addCast, addWorld, type World } from './world.testing.ts'

/** Jobs that make recorded decisions again, by a candidate and by the live content. */

/** Only ends what hangs. */
const LIMIT_MS = 60_000

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
})
afterAll(() => platform.stop())

const all = () => `${scene.P}/replays`
const get = async (id: string) => (await scene.owner.request('GET', `${all()}/${id}`)).body
const start = (ruleset: string, more: object) =>
  made(scene.owner.request('POST', all(), { ruleset, environment: 'prod', ...more }))

/** The replay when it has ended. */
async function ended(id: string) {
  await vi.waitFor(async () => expect((await get(id)).status).not.toBe('running'), { timeout: LIMIT_MS, interval: 50 })
  return get(id)
}

/** A ruleset that grants from 10 points on, a save that grants from 20 on, and decisions with 1 to 30 points. */
async function recorded() {
  const known = await changedRuleset(scene, database(), 10, 20)
  const inputs = Array.from({ length: 30 }, (_, index) => ({ points: index + 1 }))
  await recordDecisions(scene, database(), known.name, inputs)
  return known
}

describe('a replay', () => {
  test('makes all recorded decisions again by a save and by the live content', async () => {
    const { name, seq, first } = await recorded()
    const begun = await start(name, { from_seq: seq })
    expect(begun).toMatchObject({
      ruleset: name,
      environment: 'prod',
      from_seq: seq,
      release_id: null,
      base: { version: '1.0.0', digest: expect.stringMatching(/^[0-9a-f]{64}$/), release_id: first.id },
      from: null,
      status: 'running',
      error: null,
      total: 30,
      done: 0,
      replayed: 0,
      changed: 0,
    })
    expect(begun.digest).not.toBe(begun.base.digest)
    expect(Math.abs(Date.parse(begun.to) - Date.now())).toBeLessThan(LIMIT_MS)
    const { records, ...replay } = await ended(begun.id)
    expect(replay).toMatchObject({ status: 'completed', total: 30, done: 30, replayed: 30, changed: 10 })
    expect(records).toMatchObject({
      total: 30,
      share: 1 / 3,
      transitions: [{ from: 'GRANTED', to: 'REFUSED', count: 10 }],
      not_replayed: [],
    })
    expect(records.transitions[0].examples).toHaveLength(3)
    const { items } = (await scene.owner.request('GET', `${all()}?q=${name}`)).body
    expect(items).toEqual([replay])
  })

  test('takes the decisions of an interval', async () => {
    const { name, seq } = await recorded()
    // The decision of second n has n + 1 points.
    const interval = { from: '2026-01-01T00:00:15Z', to: '2026-01-01T00:00:25Z' }
    const { id } = await start(name, { from_seq: seq, ...interval })
    const some = { status: 'completed', total: 10, done: 10, replayed: 10, changed: 4 }
    expect(await ended(id)).toMatchObject({ ...some, from: '2026-01-01T00:00:15.000Z', to: '2026-01-01T00:00:25.000Z' })
  })

  test('takes the copy of a release, whatever was saved since', async () => {
    const { name, seq } = await recorded()
    const release = await scene.release(scene.owner, name, seq)
    await scene.save(scene.owner, name, 25)
    const { id } = await start(name, { release_id: release.id })
    expect(await ended(id)).toMatchObject({ status: 'completed', release_id: release.id, from_seq: null, changed: 10 })
    const other = await changedRuleset(scene, database(), 10, 20)
    const rulesets = [other, { name, seq }].map((one) => ({ name: one.name, from_seq: one.seq }))
    const both = { title: 'both', rulesets, environments: ['prod'] }
    const { id: release_id } = await made(scene.owner.request('POST', `${scene.P}/releases`, both))
    const ofSave = await start(name, { from_seq: seq })
    expect((await start(name, { release_id })).digest).toBe(ofSave.digest)
    const foreign = await scene.owner.request('POST', all(), { ruleset: name, environment: 'prod', release_id: id })
    expect([foreign.status, foreign.body.details[0].path]).toEqual([400, '/release_id'])
    const without = await scene.owner.request('POST', all(), {
      ruleset: other.name,
      environment: 'prod',
      release_id: release.id,
    })
    expect([without.status, without.body.details[0].path]).toEqual([400, '/ruleset'])
  })

  test.each([
    ['no candidate', {}, ''],
    ['two candidates', { from_seq: 2, release_id: randomUUIDv7() }, ''],
    ['an unknown release', { release_id: randomUUIDv7() }, '/release_id'],
    ['an unknown environment', { from_seq: 2, environment: 'moon' }, '/environment'],
    ['nothing live', { from_seq: 2, environment: 'dev' }, '/ruleset'],
    ['no moment', { from_seq: 2, from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/from'],
  ])('with %s is refused', async (_what, more, path) => {
    const { name } = await changedRuleset(scene, database(), 10, 20)
    const request = { ruleset: name, environment: 'prod', ...more }
    const { status, body } = await scene.owner.request('POST', all(), request)
    expect([status, body.details[0].path]).toEqual([400, path])
  })

  test('names what it could not make again', async () => {
    const { name, seq } = await changedRuleset(scene, database(), 10, 20)
    await recordDecisions(scene, database(), name, [{ points: '***' }, { points: 15 }])
    const { id } = await start(name, { from_seq: seq })
    const { records, ...counts } = await ended(id)
    expect(counts).toMatchObject({ done: 2, replayed: 1, changed: 1 })
    expect(records.not_replayed).toEqual([{ reason: 'a masked value is read', count: 1 }])
  })

  test('ends when it is deleted, and no other does', async () => {
    const { name, seq } = await recorded()
    const { id: other } = await start(name, { from_seq: seq })
    const { id } = await start(name, { from_seq: seq })
    expect((await scene.owner.request('DELETE', `${all()}/${id}`)).status).toBe(204)
    expect((await scene.owner.request('GET', `${all()}/${id}`)).status).toBe(404)
    expect(await get(other)).toMatchObject({ id: other })
  })

  test.each([
    ['in the environment of the key', ['prod'], 200, 201],
    ['in another', ['dev'], 404, 400],
  ])('%s is there for it: %j', async (_place, environments, status, created) => {
    const { name, seq } = await recorded()
    const { id } = await start(name, { from_seq: seq })
    const request = { name, scopes: ['audit.read'], environments }
    const { token } = await made(scene.owner.request('POST', `${scene.team.path}/api-keys`, request))
    const key = platform.program(token)
    const list = await key.request('GET', `${all()}?q=${name}`)
    expect(list.body.items.map((one: { id: string }) => one.id)).toEqual(status === 200 ? [id] : [])
    expect((await key.request('GET', `${all()}/${id}`)).status).toBe(status)
    const asked = { ruleset: name, environment: 'prod', from_seq: seq }
    expect((await key.request('POST', all(), asked)).status).toBe(created)
    if (status === 404) expect((await key.request('DELETE', `${all()}/${id}`)).status).toBe(404)
  })

  test('belongs to one project, and of one project twenty run at a time', async () => {
    const { name, seq } = await recorded()
    const { id } = await start(name, { from_seq: seq })
    await ended(id)
    const other = await made(scene.owner.request('POST', `${scene.team.path}/projects`, { name }))
    const elsewhere = `${scene.team.path}/projects/${other.id}/replays`
    expect((await scene.owner.request('GET', `${elsewhere}/${id}`)).status).toBe(404)
    expect((await scene.owner.request('GET', elsewhere)).body.items).toEqual([])
    const tables = database().unscoped.tables
    const { project_id, ...row } = await tables
      .selectFrom('replays')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    // Never due, so that none of them ends.
    const running = Array.from({ length: 19 }, () => ({
      ...row,
      project_id,
      id: randomUUIDv7(),
      status: 'running' as const,
      next_at: null,
      records: JSON.stringify(row.records),
    }))
    await tables.insertInto('replays').values(running).execute()
    const ask = () => scene.owner.request('POST', all(), { ruleset: name, environment: 'prod', from_seq: seq })
    const last = await made(ask())
    await ended(last.id)
    await tables.updateTable('replays').set({ status: 'running' }).where('id', '=', last.id).execute()
    expect(await refusal(ask())).toEqual([409, 'busy'])
    await tables
      .deleteFrom('replays')
      .where('id', 'in', [last.id, ...running.map((one) => one.id)])
      .execute()
    expect((await ask()).status).toBe(201)
  })

  test('streams its progress, whose last event is its end', async () => {
    const { name, seq } = await recorded()
    const { id } = await start(name, { from_seq: seq })
    const cookie = `session=${scene.owner.cookies.get('session')}`
    const stream = (headers: object = {}) => readEvents(`${platform.url}${all()}/${id}/events`, { cookie, ...headers })
    const { events, hasEnded } = await stream()
    await vi.waitFor(() => expect(hasEnded()).toBe(true), { timeout: LIMIT_MS })
    const { records: _records, ...end } = await get(id)
    expect(events.at(-1)).toEqual({ id: String(end.rev), type: 'completed', data: end })
    expect(events.slice(0, -1).every(({ type }) => type === 'progress')).toBe(true)
    expect((await stream({ 'last-event-id': String(end.rev) })).status).toBe(204)
    expect((await stream({ 'last-event-id': '1' })).status).toBe(200)
  })
})

describe('the work on replays', () => {
  const alone = useDatabase('postgres')
  const tables = () => alone().unscoped.tables
  let world: World
  const row = () => tables().selectFrom('replays').selectAll().where('id', '=', world.replay).executeTakeFirstOrThrow()
  const restart = (more: object = {}) =>
    tables()
      .updateTable('replays')
      .set({ next_at: new Date(), ...more })
      .where('id', '=', world.replay)
      .execute()
  const working = (replay: Analyses['replay']) =>
    startReplays({ database: alone(), analyses: { replay }, log: memoryLog().log })
  beforeEach(async () => {
    world = await addWorld(alone(), await addCast(alone()), 'audit.read', { hasProject: true, hasDrafts: true })
    // Those of other tests have ended.
    await tables().updateTable('replays').set({ next_at: null }).execute()
    await restart({ status: 'running', decided_to: new Date(Date.now() + 1000) })
  })

  test.each([
    [
      'limits that do not suffice',
      async () => ({ kind: 'over' as const, message: 'it took more than 10 s' }),
      'it took more than 10 s',
    ],
    ['a defect', () => Promise.reject(new Error('broken')), 'the replay failed by a defect'],
  ])('%s ends one, with the reason', async (_what, replay, reason) => {
    const work = working(replay)
    await vi.waitFor(async () => expect((await row()).status).toBe('failed'), { timeout: LIMIT_MS, interval: 20 })
    await work.stop()
    expect((await row()).error).toContain(reason)
  })

  test('takes the decisions of its ruleset, environment and interval, with both versions and the oldest decision first', async () => {
    const { project, environment } = world
    const { id: prod } = await tables()
      .selectFrom('environments')
      .select('id')
      .where('project_id', '=', project)
      .where('name', '=', 'prod')
      .executeTakeFirstOrThrow()
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
    const from = [at(10), at(20)] as const
    await addDecided(alone(), world, [
      { input: '9', at: at(9) },
      { input: '19', at: at(19) },
      { input: '10', at: at(10) },
      { input: '20', at: at(20) },
      { input: '11', at: at(11), ruleset_name: 'rule' },
      { input: '12', at: at(12), environment_id: prod },
    ])
    await restart({ decided_from: from[0], decided_to: from[1], digest: '1'.repeat(64), environment_id: environment })
    const tasks: Parameters<Analyses['replay']>[0][] = []
    const work = working(async (task) => {
      tasks.push(task)
      return replayedAs({ total: task.inputs.length })
    })
    await vi.waitFor(async () => expect((await row()).status).toBe('completed'), { timeout: LIMIT_MS, interval: 20 })
    await work.stop()
    expect(tasks.map(({ inputs }) => inputs)).toEqual([expect.toSatisfy((inputs) => isSameSet(inputs, [10, 19]))])
    expect(tasks[0]).toMatchObject({ baseText: expect.stringContaining('kept'), candidateText: '{}', regions: [] })
    expect(await row()).toMatchObject({ error: null, next_at: null, rev: 2 })
  })

  test.each(['tooMany', 'overloaded'] as const)('waits a second where a thread is busy: %s', async (kind) => {
    const before = await row()
    const work = working(() => Promise.reject(kind === 'tooMany' ? failures.tooMany('', 1) : overloaded()))
    await vi.waitFor(async () => expect((await row()).fence).toBeGreaterThan(before.fence), { timeout: LIMIT_MS })
    await work.stop()
    const { status, next_at, records, rev } = await row()
    expect({ status, records, rev }).toEqual({ status: 'running', records: before.records, rev: before.rev })
    expect((next_at?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(1000)
  })

  test('of a platform that ends goes on elsewhere, although its turn was ended', async () => {
    const before = await row()
    const begun = Promise.withResolvers<void>()
    const work = working((_task, stopping) => {
      const { promise, resolve } = Promise.withResolvers<{ kind: 'over'; message: string }>()
      stopping?.addEventListener('abort', () => resolve({ kind: 'over', message: 'ended' }))
      begun.resolve()
      return promise
    })
    await begun.promise
    await work.stop()
    expect(await row()).toMatchObject({ status: 'running', error: null, rev: before.rev })
  })

  test('stores nothing where another replica has taken its turn', async () => {
    const before = await row()
    const work = working(async () => {
      await restart({ fence: 100, next_at: null })
      return replayedAs({ total: 1 })
    })
    await vi.waitFor(async () => expect((await row()).fence).toBe(100), { timeout: LIMIT_MS, interval: 20 })
    await work.stop()
    expect(await row()).toMatchObject({ status: 'running', records: before.records, rev: before.rev, next_at: null })
  })

  test('begins with the one that has waited longest, and leases it for longer than a turn', async () => {
    const { id: _id, ...rest } = await row()
    const other = { ...rest, id: randomUUIDv7(), next_at: new Date(0), records: JSON.stringify(rest.records) }
    await tables().insertInto('replays').values(other).execute()
    const leases: number[] = []
    const work = working(async () => {
      const { next_at } = await tables()
        .selectFrom('replays')
        .select('next_at')
        .where('id', '=', leases.length === 0 ? other.id : world.replay)
        .executeTakeFirstOrThrow()
      leases.push((next_at?.getTime() ?? 0) - Date.now())
      return replayedAs({ total: 1 })
    })
    await vi.waitFor(async () => expect((await row()).status).toBe('completed'), { timeout: LIMIT_MS, interval: 20 })
    await work.stop()
    expect(leases.map((lease) => lease > 0)).toEqual([true, true])
  })

  test('results that are too large end one, and keep what was known', async () => {
    const code = 'X'.repeat(4_000_000)
    const codes = [{ code, before: 1, after: 1 }]
    const work = working(async () => replayedAs({ total: 1, codes }))
    await vi.waitFor(async () => expect((await row()).status).toBe('failed'), { timeout: LIMIT_MS, interval: 20 })
    await work.stop()
    expect(await row()).toMatchObject({ error: expect.stringContaining('4 MB'), records: NOTHING_REPLAYED, rev: 2 })
  })

  test('continues where a replica has stopped: no decision is counted twice', async () => {
    await addDecisions(alone(), world, 249)
    let isBusy = false
    const sizes: number[] = []
    const replay: Analyses['replay'] = async ({ inputs }) => {
      if (isBusy) throw failures.tooMany('too many', 1)
      sizes.push(inputs.length)
      isBusy = sizes.length === 1
      return replayedAs({ total: inputs.length })
    }
    const first = working(replay)
    await vi.waitFor(async () => expect((await row()).records.total).toBe(100), { timeout: LIMIT_MS, interval: 20 })
    await first.stop()
    expect((await row()).status).toBe('running')
    isBusy = false
    await restart()
    const second = working(replay)
    await vi.waitFor(async () => expect((await row()).status).toBe('completed'), { timeout: LIMIT_MS, interval: 20 })
    await second.stop()
    expect([(await row()).records.total, sizes]).toEqual([250, [100, 100, 50]])
  })
})

const replayedAs = (some: object) => ({
  kind: 'done' as const,
  result: { replayed: { ...NOTHING_REPLAYED, ...some }, inRegions: [] },
})

const overloaded = () => new HttpError('overloaded', 'later')
const isSameSet = (found: readonly unknown[], expected: readonly unknown[]) =>
  found.length === expected.length && new Set(found).isSubsetOf(new Set(expected))

/** Decisions of `kept` in `dev`, but for what these rows name. */
async function addDecided(
  of: Database,
  { org, project, environment }: World,
  decisions: readonly { input: string; at: Date; ruleset_name?: string; environment_id?: string }[],
): Promise<void> {
  const place = { project_id: project, environment_id: environment, ruleset_name: 'kept', digest: '1'.repeat(64) }
  const rows = decisions.map((one, seq) => {
    const source = { server_id: randomUUIDv7(), session: 'two', seq }
    return { id: randomUUIDv7(), ...place, code: 'OK', output: '{}', ...source, ...one }
  })
  await of.note(org, async ({ scope }) => void (await scope.insert('recorded_decisions', rows).execute()))
}

/** Further decisions of `kept` in `dev`. */
async function addDecisions(of: Database, world: World, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, seq) => ({ input: '{}', at: new Date(Date.now() - seq) }))
  await addDecided(of, world, rows)
}
