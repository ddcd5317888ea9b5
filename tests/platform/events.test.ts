import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { PRESENT_MS } from '../../apps/platform-server/src/features/events/presence.ts'
import { cleanUp } from '../../apps/platform-server/src/jobs/clean-up.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { DATABASES, newLocation } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { type OpenStream, readEvents } from './events.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

const newFact = () => newName().replaceAll('-', '_')

describe.each(DATABASES)('on %s', (kind) => {
  const databases: Database[] = []
  const replicas: TestPlatform[] = []
  let [first, second]: TestPlatform[] = []
  let team: Team
  let P: string
  beforeAll(async () => {
    const location = await newLocation(kind)
    // The embedded database has no second replica: both names refer to one platform.
    for (let count = kind === 'postgres' ? 2 : 1; count > 0; count--) {
      const database = await openDatabase(location, memoryLog().log)
      databases.push(database)
      replicas.push(await startPlatform(database))
    }
    first = replicas[0]
    second = replicas.at(-1)
    team = await newTeam(first!)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))
    P = `${team.path}/projects/${id}`
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
    for (const database of databases) await database.close()
  })

  const save = (client: Client, name: string, seq: number) =>
    client.request('POST', `${P}/rulesets/${name}`, { ruleset: grading(name), expected_seq: seq })
  const cookieOf = ({ cookies }: Client) => ({ cookie: `session=${cookies.get('session')}` })
  /** The stream as the other replica has it. */
  const read = (path: string, headers: Readonly<Record<string, string>> = {}, client: Client = team.owner) =>
    readEvents(`${second!.url}${P}${path}`, { ...cookieOf(client), ...headers })
  const at = (client: Client, name: string, step_id: string | null) =>
    client.request('PUT', `${P}/rulesets/${name}/presence`, { step_id })
  const typesOf = ({ events }: OpenStream) => events.map(({ type }) => type)
  const stepsOf = ({ events }: OpenStream) =>
    events
      .filter(({ type }) => type === 'presence')
      .at(-1)
      ?.data.present.map((one: { step_id: string }) => one.step_id)

  test('a save is streamed by all replicas, with its number as the id, and a client resumes after it', async () => {
    const name = newName()
    await made(save(team.owner, name, 0))
    const stream = await read(`/rulesets/${name}/events`)
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    await expect.poll(() => typesOf(stream)).toEqual(['presence'])
    await save(team.owner, name, 1)
    await expect.poll(() => typesOf(stream)).toEqual(['presence', 'draft_saved'])
    const told = { ruleset: name, seq: 2, updated_by: team.owner.userId, updated_at: expect.any(String) }
    expect(stream.events[1]).toEqual({ id: '2', type: 'draft_saved', data: told })
    await save(team.owner, name, 2)
    const again = await read(`/rulesets/${name}/events`, { 'last-event-id': '1' })
    await expect.poll(() => again.events.map(({ id }) => id)).toEqual(['2', '3', undefined])
    const asked = await read(`/rulesets/${name}/events?last_event_id=2`)
    await expect.poll(() => asked.events.map(({ id }) => id)).toEqual(['3', undefined])
  })

  test('a draft that is renamed keeps its stream', async () => {
    const [name, other] = [newName(), newName()]
    await made(save(team.owner, name, 0))
    const stream = await read(`/rulesets/${name}/events`)
    await team.owner.request('POST', `${P}/rulesets/${name}/rename`, { name: other })
    await expect.poll(() => stream.events.find(({ type }) => type === 'draft_saved')?.data.ruleset).toBe(other)
  })

  test('presence is streamed, moves, and expires unless renewed', async () => {
    const name = newName()
    await made(save(team.owner, name, 0))
    const ann = await team.join(['editor'])
    const stream = await read(`/rulesets/${name}/events`)
    const { status, body } = await at(ann, name, 'start')
    const present = {
      type: 'user',
      id: ann.userId,
      name: expect.any(String),
      step_id: 'start',
      since: expect.any(String),
    }
    expect([status, body]).toEqual([200, { ruleset: name, present: [present] }])
    await expect.poll(() => stepsOf(stream)).toEqual(['start'])
    await at(team.owner, name, 'yes')
    await at(ann, name, null)
    await expect.poll(() => stepsOf(stream)).toEqual(['yes', null])
    const length = stream.events.length
    // A renewal causes no event.
    await at(ann, name, null)
    await at(team.owner, name, 'no')
    await expect.poll(() => stepsOf(stream)).toEqual([null, 'no'])
    expect(stream.events).toHaveLength(length + 1)
    await databases[0]!.unscoped.tables
      .updateTable('presence')
      .set({ seen_at: new Date(Date.now() - PRESENT_MS) })
      .where('caller_id', '=', ann.userId)
      .execute()
    // Time that passes wakes no listener: the next poll reports it.
    await expect.poll(() => stepsOf(stream), { timeout: 20_000 }).toEqual(['no'])
  })

  test('expired events are deleted later', async () => {
    const name = newName()
    await made(save(team.owner, name, 0))
    await at(team.owner, name, 'start')
    const { tables } = databases[0]!.unscoped
    const rows = () => tables.selectFrom('presence').select('step_id').where('step_id', '=', 'start').execute()
    await cleanUp(tables).run()
    expect(await rows()).toHaveLength(1)
    await tables
      .updateTable('presence')
      .set({ seen_at: new Date(0) })
      .execute()
    await cleanUp(tables).run()
    expect(await rows()).toEqual([])
  })

  test('a project streams every change by kind, id and name, and who is present', async () => {
    const [name, fact] = [newName(), newFact()]
    const stream = await read('/events')
    await made(save(team.owner, name, 0))
    await made(team.owner.request('POST', `${P}/facts`, { name: fact, type: 'number' }))
    const changes = () => stream.events.filter(({ type }) => type === 'changed').map(({ data }) => data)
    await expect.poll(() => changes().map(({ action }) => action)).toEqual(['draft.created', 'fact.created'])
    const by = { type: 'user', id: team.owner.userId }
    const common = { at: expect.any(String), id: expect.any(String), by }
    expect(changes()).toEqual([
      { ...common, kind: 'draft', name, action: 'draft.created' },
      { ...common, kind: 'fact', name: fact, action: 'fact.created' },
    ])
    await at(team.owner, name, 'start')
    await expect.poll(() => stream.events.at(-1)).toMatchObject({ type: 'presence', data: { ruleset: name } })
    await save(team.owner, name, 1)
    await expect.poll(() => changes().at(-1)?.action).toBe('draft.updated')
    const last = stream.events.filter(({ id }) => id !== undefined).map(({ id }) => id)
    const again = await read('/events', { 'last-event-id': last[0] ?? '' })
    // Changes since then are reported; those just before it may be reported again.
    await expect.poll(() => again.events.map(({ id }) => id)).toEqual(expect.arrayContaining(last.slice(1)))
  })

  test('after too long a gap the client must read everything again', async () => {
    for (const id of [randomUUIDv7().replace(/^.{8}/, '01980000'), 'nonsense']) {
      const stream = await read('/events', { 'last-event-id': id })
      await expect.poll(() => stream.events[0]?.type).toBe('reset')
      const behind = await read('/events', { 'last-event-id': stream.events[0]?.id ?? '' })
      await made(team.owner.request('POST', `${P}/facts`, { name: newFact(), type: 'number' }))
      await expect.poll(() => behind.events.map(({ type }) => type)).toContain('changed')
      expect(typesOf(behind)).not.toContain('reset')
    }
  })

  test('a key for some environments gets no events about environments', async () => {
    const [secret, heard] = [newName(), newFact()]
    const request = { name: newName(), scopes: ['project.read'], environments: ['dev'] }
    const { token } = await made(team.owner.request('POST', `${team.path}/api-keys`, request))
    const stream = await readEvents(`${second!.url}${P}/events`, { authorization: `Bearer ${token}` })
    await team.owner.request('POST', `${P}/environments`, { name: secret })
    await made(team.owner.request('POST', `${P}/facts`, { name: heard, type: 'number' }))
    await expect.poll(() => stream.events.map(({ data }) => data.name)).toContain(heard)
    expect(JSON.stringify(stream.events)).not.toContain(secret)
  })
})
