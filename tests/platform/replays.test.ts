import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Analyses } from '../../apps/platform-server/src/compute/analyses.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { startReplays } from '../../apps/platform-server/src/features/replays/work.ts'
import { failures } from '../../apps/platform-server/src/errors.ts'
import { NOTHING_REPLAYED } from '../../packages/analysis/src/index.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { readEvents } from './events.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { changedRuleset, recordDecisions } from './recorded-decisions.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made } from './team.testing.ts'
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
      base: { release_id: first.id },
      status: 'running',
      error: null,
      total: 30,
      done: 0,
      replayed: 0,
      changed: 0,
    })
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
    expect(await ended(id)).toMatchObject({ status: 'completed', total: 10, done: 10, replayed: 10, changed: 4 })
  })

  test('takes the copy of a release, whatever was saved since', async () => {
    const { name, seq } = await recorded()
    const release = await scene.release(scene.owner, name, seq)
    await scene.save(scene.owner, name, 25)
    const { id } = await start(name, { release_id: release.id })
    expect(await ended(id)).toMatchObject({ status: 'completed', release_id: release.id, from_seq: null, changed: 10 })
  })

  test('names what it could not make again', async () => {
    const { name, seq } = await changedRuleset(scene, database(), 10, 20)
    await recordDecisions(scene, database(), name, [{ points: '***' }, { points: 15 }])
    const { id } = await start(name, { from_seq: seq })
    const { records, ...counts } = await ended(id)
    expect(counts).toMatchObject({ done: 2, replayed: 1, changed: 1 })
    expect(records.not_replayed).toEqual([{ reason: 'a masked value is read', count: 1 }])
  })

  test('ends when it is deleted', async () => {
    const { name, seq } = await recorded()
    const { id } = await start(name, { from_seq: seq })
    expect((await scene.owner.request('DELETE', `${all()}/${id}`)).status).toBe(204)
    expect((await scene.owner.request('GET', `${all()}/${id}`)).status).toBe(404)
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

/** Further decisions of `kept` in `dev`. */
async function addDecisions(of: Database, { org, project, environment }: World, count: number): Promise<void> {
  const place = { project_id: project, environment_id: environment, ruleset_name: 'kept', digest: '1'.repeat(64) }
  const decided = { code: 'OK', input: '{}', output: '{}' }
  const rows = Array.from({ length: count }, (_, seq) => {
    const source = { server_id: randomUUIDv7(), session: 'two', seq }
    return { id: randomUUIDv7(), ...place, ...decided, ...source, at: new Date(Date.now() - seq) }
  })
  await of.note(org, async ({ scope }) => void (await scope.insert('recorded_decisions', rows).execute()))
}
