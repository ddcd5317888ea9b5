import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { migratedLocation } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { relayTo } from './relay.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made } from './team.testing.ts'

const DEADLINE = { timeout: 30_000 }

let url: string
let database: Database
/** The replica that gets the requests again. */
let survivor: TestPlatform
let scene: Scene

beforeAll(async () => {
  const location = await migratedLocation('postgres')
  if (location.kind !== 'server') throw new Error('no server')
  url = location.url
  database = await openDatabase(location, memoryLog().log)
  survivor = await startPlatform(database)
  scene = await newScene(survivor)
})
afterAll(async () => {
  await survivor.stop()
  await database.close()
})

/** A second replica whose connections to the database can be cut at a statement, as a crash of its process cuts them. */
async function startDoomed() {
  const server = new URL(url)
  const relay = await relayTo({ host: server.hostname, port: Number(server.port) })
  server.port = String(relay.port)
  const own = await openDatabase({ kind: 'server', url: server.href }, memoryLog().log)
  const platform = await startPlatform(own)
  onTestFinished(async () => {
    await platform.stop()
    await own.close()
    await relay.cut()
  })
  const client = platform.browser()
  for (const [name, value] of scene.owner.cookies) client.cookies.set(name, value)
  return { relay, client }
}

/** A request that makes one thing, and how many of these there are. */
interface Making {
  readonly path: string
  readonly body: unknown
  count(): Promise<number>
}

const countOf = async (
  { owner }: Scene,
  path: string,
  isOne: (item: { readonly [member: string]: unknown }) => boolean = () => true,
) => (await owner.request('GET', path)).body.items.filter(isOne).length as number

const MAKINGS: Readonly<Record<string, (scene: Scene) => Promise<Making>>> = {
  async organization(at) {
    const name = newName()
    return { path: '/api/v1/orgs', body: { name }, count: () => countOf(at, `/api/v1/orgs?q=${name}`) }
  },
  async project(at) {
    const name = newName()
    const path = `${at.team.path}/projects`
    return { path, body: { name }, count: () => countOf(at, `${path}?q=${name}`) }
  },
  async 'project of a template'(at) {
    const name = newName()
    const path = `${at.team.path}/projects`
    const body = { template_id: 'tax', project_name: name }
    return { path: `${path}/from-template`, body, count: () => countOf(at, `${path}?q=${name}`) }
  },
  async release(at) {
    const name = newName()
    const from_seq = await at.save(at.owner, name)
    const body = { title: name, rulesets: [{ name, from_seq }], environments: ['prod'] }
    const path = `${at.P}/releases`
    return { path, body, count: () => countOf(at, path, ({ title }) => title === name) }
  },
  async execution(at) {
    const name = newName()
    const release = await at.release(at.owner, name, await at.save(at.owner, name), ['dev'])
    const path = `${at.P}/releases/${release.id}`
    return { path: `${path}/execute`, body: {}, count: () => countOf(at, `${path}/executions`) }
  },
  async deployment(at) {
    const name = newName()
    await at.save(at.owner, name)
    const path = `${at.P}/rulesets/${name}`
    return { path: `${path}/publish`, body: { environment: 'dev' }, count: () => countOf(at, `${path}/deployments`) }
  },
}

const ANSWER_STORED = 'update "idempotency_keys" set "answer_status"'

type Point = readonly [what: string, texts: readonly string[], when: 'before' | 'after', over: 'one' | 'any']

/** Between the change and the answer, where a crash once left the change without its key. */
const BEFORE_ANSWER: Point = ['before its answer is stored', [ANSWER_STORED], 'before', 'one']
const POINTS: readonly Point[] = [
  // The change may have another connection than the key.
  ['before its change begins', ['insert into "idempotency_keys"', 'begin'], 'before', 'any'],
  BEFORE_ANSWER,
  ['before its commit', [ANSWER_STORED, 'commit'], 'before', 'one'],
  ['after its commit', [ANSWER_STORED, 'commit'], 'after', 'one'],
]

const CASES = [
  ...POINTS.map((point) => ['release', ...point] as const),
  ...Object.keys(MAKINGS).flatMap((kind) => (kind === 'release' ? [] : [[kind, ...BEFORE_ANSWER] as const])),
]

const makingOf = (kind: string): Promise<Making> => {
  const making = MAKINGS[kind]
  if (making === undefined) throw new Error(kind)
  return making(scene)
}

describe('a request with an idempotency key whose process crashes', () => {
  test.each(CASES)('makes one %s %s, and the retry gets the first answer', async (kind, _what, texts, when, over) => {
    const { path, body, count } = await makingOf(kind)
    const before = await count()
    const { relay, client } = await startDoomed()
    const headers = { 'idempotency-key': randomUUID() }
    const crashed = relay.cutAt(texts, when, over)
    const broken = client.request('POST', path, body, headers).catch(() => undefined)
    await crashed
    expect((await broken)?.status ?? 503).toBe(503)
    await releasedBy(headers['idempotency-key'])

    const retried = await scene.owner.request('POST', path, body, headers)
    expect([200, 201, 202], retried.text).toContain(retried.status)
    expect(retried.headers.get('idempotency-replayed')).toBe(when === 'after' ? 'true' : null)
    const again = await scene.owner.request('POST', path, body, headers)
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      retried.status,
      retried.text,
      retried.headers.get('location'),
    ])
    expect((await count()) - before).toBe(1)
  })
})

/** The time of the claim passes, and the database notices that the connections of the crashed process are gone. */
async function releasedBy(key: string): Promise<void> {
  const { tables } = database.unscoped
  const row = await tables
    .updateTable('idempotency_keys')
    .set({ expires_at: new Date(0) })
    .where('key', '=', key)
    .where('answer_status', 'is', null)
    .returning('key')
    .executeTakeFirst()
  if (row !== undefined) return
  const kept = () =>
    tables.selectFrom('idempotency_keys').select('answer_status').where('key', '=', key).executeTakeFirst()
  await expect.poll(async () => (await kept())?.answer_status ?? null, DEADLINE).not.toBeNull()
}

test('on the embedded database, which has one connection, each request with a key is made once', async () => {
  const own = await openDatabase(await migratedLocation('embedded'), memoryLog().log)
  const platform = await startPlatform(own)
  onTestFinished(async () => {
    await platform.stop()
    await own.close()
  })
  const there = await newScene(platform)
  for (const making of Object.values(MAKINGS)) {
    const { path, body, count } = await making(there)
    const before = await count()
    const send = () => there.owner.request('POST', path, body, { 'idempotency-key': path })
    const first = await send()
    const again = await send()
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
      first.status,
      first.text,
      'true',
    ])
    expect((await count()) - before).toBe(1)
  }
})

test('a key of another person is another key', async () => {
  const other = await scene.team.join(['admin'])
  const headers = { 'idempotency-key': randomUUID() }
  const names = [newName(), newName()]
  const [first, second] = await Promise.all(
    [scene.owner, other].map((by, index) =>
      by.request('POST', `${scene.team.path}/projects`, { name: names[index] }, headers),
    ),
  )
  expect([first?.status, second?.status]).toEqual([201, 201])
  expect([first?.body.name, second?.body.name]).toEqual(names)
  expect(second?.headers.get('idempotency-replayed')).toBeNull()
})

test('the key of a failed request is free for another request', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const path = `${scene.team.path}/projects`
  const name = newName()
  expect((await scene.owner.request('POST', path, { name: '' }, headers)).status).toBe(400)
  expect(
    (await scene.owner.request('POST', `${scene.P}/rulesets/none/publish`, { environment: 'dev' }, headers)).status,
  ).toBe(404)
  const taken = await made(scene.owner.request('POST', path, { name }))
  expect((await scene.owner.request('POST', path, { name: taken.name }, headers)).status).toBe(409)
  const second = await scene.owner.request('POST', path, { name: newName() }, headers)
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, null])
})

test('a refusal that changes the state keeps that change', async () => {
  const { owner, P } = scene
  const name = newName()
  const approver: Client = await scene.team.join(['admin'])
  const release = await made(
    owner.request('POST', `${P}/releases`, {
      title: name,
      rulesets: [{ name, from_seq: await scene.save(owner, name) }],
      environments: ['prod'],
    }),
  )
  const path = `${P}/releases/${release.id}`
  expect((await approver.request('POST', `${path}/approve`, {})).body.status).toBe('approved')
  const policy = await scene.policy({ approvers: { min_count: 2, roles: [], exclude_authors: true } })
  const refused = await owner.request('POST', `${path}/execute`, {}, { 'idempotency-key': randomUUID() })
  expect([refused.status, refused.body.details[0].code]).toEqual([409, 'approvals_missing'])
  expect((await owner.request('GET', path)).body.status).toBe('pending_approval')
  await owner.request('DELETE', `${P}/release-policies/${policy.id}`)
})
