import { randomUUIDv7 } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import { AUDIT_OBJECT_TYPES, changesTopic } from '../../apps/platform-server/src/database/audit.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { draftNamed, type DraftRow } from '../../apps/platform-server/src/features/drafts/repository.ts'
import { PRESENT_MS, presentIn, renewPresence } from '../../apps/platform-server/src/features/events/presence.ts'
import { projectEvents } from '../../apps/platform-server/src/features/events/project-events.ts'
import { rulesetEvents } from '../../apps/platform-server/src/features/events/ruleset-events.ts'
import type { EventSource } from '../../apps/platform-server/src/http/event-stream.ts'
import { useDatabase } from './databases.testing.ts'
import { grading } from './drafts.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** The events that streams send, by the rows of the database. */

const database = useDatabase('postgres')
let cast: Cast
let world: World
let scope: Scope
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'audit.read', { hasProject: true, hasDrafts: true })
  scope = database().scope(world.org)
})

const person = (id: string, displayName: string): Caller => ({
  kind: 'user',
  id,
  email: `${displayName}@example.com`,
  displayName,
  sessionId: '',
})
const ANN = person(randomUUIDv7(), 'Ann')
const BOB = person(randomUUIDv7(), 'Bob')
const keyFor = (environments: readonly string[] | null): Caller => ({
  kind: 'key',
  id: randomUUIDv7(),
  name: 'pipeline',
  orgId: world.org,
  userId: null,
  scopes: [],
  projectIds: null,
  environments,
})
const draft = async (name = 'rule') => (await draftNamed(scope, world.project, name)) as DraftRow
const typesIn = async (source: EventSource) => (await source.next()).events.map(({ type }) => type)

/** The id of a change at a time. */
function idAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${randomUUIDv7().slice(13)}`
}

interface Entry {
  /** Seconds ago. */
  readonly ago?: number
  readonly type?: string
  readonly name: string
  readonly project?: string | null
}

async function addEntries(entries: readonly Entry[]) {
  const rows = entries.map(({ ago = 0, type = 'draft', name, project = world.project }, index) => ({
    id: idAt(Date.now() - ago * 1000 + index),
    at: new Date(0),
    project_id: project,
    actor_type: 'user' as const,
    actor_id: cast.owner.id,
    actor_name: 'Ann',
    action: `${type}.updated`,
    object_type: type,
    object_id: `id of ${name}`,
    object_name: name,
    before: null,
    after: null,
    ip: null,
    request_id: null,
  }))
  await database().note(world.org, ({ scope: own }) => own.insert('audit_entries', rows).execute())
  return rows
}

describe('the changes of a project', () => {
  // The time stands still: ages are exact, however busy the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
  afterEach(() => void vi.useRealTimers())

  const source = (caller: Caller = ANN, after?: string) => projectEvents(scope, world.project, caller, after)
  const names = async (stream: EventSource) =>
    (await stream.next()).events
      .filter(({ type }) => type === 'changed')
      .map(({ data }) => (data as { readonly name: string }).name)

  test('are told with their resource, their author and their time, and wake its listeners', async () => {
    const stream = source()
    await stream.next()
    const [row] = await addEntries([{ name: 'a', type: 'contract' }])
    expect((await stream.next()).events).toEqual([
      {
        id: row?.id,
        type: 'changed',
        data: {
          kind: 'contract',
          id: 'id of a',
          name: 'a',
          action: 'contract.updated',
          at: '1970-01-01T00:00:00.000Z',
          by: { type: 'user', id: cast.owner.id },
        },
      },
    ])
    expect((await stream.next()).events).toEqual([])
    expect(stream.topics).toEqual([changesTopic(world.project)])
  })

  test('are those of the project, and of the sub-rules that all projects of its organization share', async () => {
    const stream = source()
    await stream.next()
    await addEntries([
      { name: 'own' },
      { name: 'foreign', project: randomUUIDv7() },
      { name: 'foreign sub-rule', type: 'sub_rule', project: randomUUIDv7() },
      { name: 'shared', type: 'sub_rule', project: null },
      { name: 'member', type: 'member', project: null },
    ])
    expect(await names(stream)).toEqual(['own', 'shared'])
  })

  test('are told of every kind to a person and to a key for all environments, and to another key of these kinds alone', async () => {
    const streams = [source(), source(keyFor(null)), source(keyFor(['dev']))]
    for (const stream of streams) await stream.next()
    await addEntries(AUDIT_OBJECT_TYPES.map((type) => ({ name: type, type })))
    const [people, all, limited] = await Promise.all(streams.map(names))
    expect(people?.toSorted()).toEqual(AUDIT_OBJECT_TYPES.toSorted())
    expect(all).toEqual(people)
    expect(limited?.toSorted()).toEqual(['concept', 'contract', 'draft', 'fact', 'project', 'sub_rule', 'suite'])
  })

  test('are told by their ids, also those that were committed later than newer ones', async () => {
    const stream = source()
    await stream.next()
    await addEntries([{ name: 'second', ago: 10 }, { name: 'third' }, { name: 'first', ago: 50 }])
    expect(await names(stream)).toEqual(['first', 'second', 'third'])
    await addEntries([
      { name: 'late', ago: 40 },
      { name: 'too late', ago: 70 },
    ])
    expect(await names(stream)).toEqual(['late'])
  })

  test.each([
    ['a new client', undefined, []],
    ['one that was away for a moment', 1, ['a minute before', 'since then']],
    ['one that was away for nearly ten minutes', 595, ['before', 'a minute before', 'since then']],
    ['one whose clock is ahead', -3600, ['a minute before', 'since then']],
  ])('%s is told what it may have missed', async (_client, away, expected) => {
    await addEntries([
      { name: 'before', ago: 640 },
      { name: 'a minute before', ago: 50 },
      { name: 'since then', ago: 0.5 },
      { name: 'long before', ago: 700 },
    ])
    const stream = source(ANN, away === undefined ? undefined : idAt(Date.now() - away * 1000))
    expect(await names(stream)).toEqual(expected)
  })

  test('one that was away for more than ten minutes reads everything again, once', async () => {
    await addEntries([{ name: 'before', ago: 5 }])
    const stream = source(ANN, idAt(Date.now() - 601_000))
    const { events } = await stream.next()
    expect(events).toMatchObject([{ type: 'reset', data: {} }])
    await addEntries([{ name: 'later' }])
    expect(await names(stream)).toEqual(['later'])
    // The client continues after the id of the reset.
    expect(await typesIn(source(ANN, String(events[0]?.id)))).not.toContain('reset')
  })

  test('are told one by one up to a thousand; of more, everything is read again', async () => {
    const stream = source()
    await stream.next()
    const many = Array.from({ length: 1000 }, (_, index) => ({ name: `n${index}`, ago: 30 }))
    await addEntries(many)
    expect(await names(stream)).toEqual(many.map(({ name }) => name))
    expect(await typesIn(stream)).toEqual([])
    await addEntries([...many.map(({ name }) => ({ name })), { name: 'one more' }])
    expect(await typesIn(stream)).toEqual(['reset'])
    expect(await typesIn(stream)).toEqual([])
  })

  test('after more than a thousand are told at once, and everything is read again when a minute has passed', async () => {
    const stream = source()
    await stream.next()
    await addEntries(Array.from({ length: 1500 }, (_, index) => ({ name: `n${index}` })))
    expect(await typesIn(stream)).toEqual(['reset'])
    expect(await typesIn(source())).toEqual([])
    vi.setSystemTime(Date.now() + 5000)
    await addEntries([{ name: 'next' }])
    expect(await names(stream)).toEqual(['next'])
    // A commit that is older than the thousand newest changes is not in the result.
    await addEntries([{ name: 'late', ago: 20 }])
    expect(await typesIn(stream)).toEqual([])
    vi.setSystemTime(Date.now() + 55_000)
    expect(await typesIn(stream)).toEqual([])
    vi.setSystemTime(Date.now() + 5000)
    expect(await typesIn(stream)).toEqual([])
    vi.setSystemTime(Date.now() + 5000)
    expect(await typesIn(stream)).toEqual(['reset'])
    await addEntries([{ name: 'then' }])
    expect(await names(stream)).toEqual(['then'])
  })

  test('come with who is present: first everyone, then the rulesets where that has changed', async () => {
    vi.useRealTimers()
    const kept = await draft('kept')
    const rule = await draft()
    const renew = (at: DraftRow, caller: Caller, step: string | null) =>
      renewPresence(database(), { scope }, at, caller, step)
    await renew(rule, ANN, 'start')
    await renew(kept, ANN, null)
    const stream = source()
    const presence = async () =>
      (await stream.next()).events.map(({ data }) => {
        const { ruleset, present } = data as { ruleset: string; present: { name: string; step_id: string | null }[] }
        return [ruleset, present.map(({ name, step_id: step }) => [name, step])]
      })
    expect(Object.fromEntries((await presence()) as [string, unknown][])).toEqual({
      kept: [['Ann', null]],
      rule: [['Ann', 'start']],
    })
    expect(await presence()).toEqual([])
    await renew(kept, BOB, 'yes')
    expect(await presence()).toEqual([
      [
        'kept',
        [
          ['Ann', null],
          ['Bob', 'yes'],
        ],
      ],
    ])
    await seen(rule.id, PRESENT_MS)
    expect(await presence()).toEqual([['rule', []]])
    expect(await presence()).toEqual([])
  })
})

/** As if the presence at a draft had been renewed for the last time so many milliseconds ago. */
const seen = (id: string, ago: number) =>
  database()
    .unscoped.tables.updateTable('presence')
    .set({ seen_at: new Date(Date.now() - ago) })
    .where('draft_id', '=', id)
    .execute()

describe('presence', () => {
  const present = async (only?: string, project = world.project) => [
    ...(await presentIn(scope, project, only)).values(),
  ]
  const renew = async (caller: Caller, step: string | null = null, name = 'rule') =>
    renewPresence(database(), { scope }, await draft(name), caller, step)
  const since = async () => (await present()).flatMap(({ present: all }) => all.map((one) => one.since))

  test('has the name of a person or of a key, and those who came first at the front', async () => {
    const key = keyFor(null)
    for (const caller of [BOB, key, ANN]) await renew(caller, 'start')
    const common = { step_id: 'start', since: expect.any(String) }
    const all = [
      { ...common, type: 'user', id: BOB.id, name: 'Bob' },
      { ...common, type: 'key', id: key.id, name: 'pipeline' },
      { ...common, type: 'user', id: ANN.id, name: 'Ann' },
    ]
    expect(await present()).toEqual([{ ruleset: 'rule', present: all }])
    // The order is that of arrival, not of ids.
    await seen((await draft()).id, PRESENT_MS)
    await renew(ANN)
    await renew(BOB)
    expect((await present())[0]?.present.map(({ name }) => name)).toEqual(['Ann', 'Bob'])
  })

  test('is that at the rulesets of one project, or at one of them, and at none that was deleted', async () => {
    await renew(ANN)
    await renew(ANN, null, 'kept')
    expect((await present()).map(({ ruleset }) => ruleset).toSorted()).toEqual(['kept', 'rule'])
    expect((await present((await draft('kept')).id)).map(({ ruleset }) => ruleset)).toEqual(['kept'])
    expect(await present(undefined, randomUUIDv7())).toEqual([])
    await database()
      .unscoped.tables.updateTable('drafts')
      .set({ deleted_at: new Date() })
      .where('org_id', '=', world.org)
      .where('name', '=', 'kept')
      .execute()
    expect((await present()).map(({ ruleset }) => ruleset)).toEqual(['rule'])
  })

  test.each([
    [PRESENT_MS - 10_000, 1],
    [PRESENT_MS, 0],
  ])('that was renewed %i ms ago has %i callers', async (ago, count) => {
    await renew(ANN)
    await seen((await draft()).id, ago)
    expect((await present()).flatMap(({ present: all }) => all)).toHaveLength(count)
  })

  test.each([
    ['at the same step', 'start', 10_000, false],
    ['at another step', 'yes', 10_000, true],
    ['after it has expired', 'start', PRESENT_MS, true],
  ])('a renewal %s begins anew and wakes listeners: %s', async (_case, step, ago, isNew) => {
    const rule = await draft()
    await renew(ANN, 'start')
    await renew(BOB, 'start')
    const first = new Date(Date.now() - 60_000)
    await seen(rule.id, ago)
    await database()
      .unscoped.tables.updateTable('presence')
      .set({ since: first })
      .where('draft_id', '=', rule.id)
      .where('caller_id', '=', ANN.id)
      .execute()
    let woken = 0
    onTestFinished(database().wakes.on(changesTopic(world.project), (isCertain) => void (woken += isCertain ? 1 : 0)))
    await renew(ANN, step)
    expect([woken > 0, (await since()).includes(first.toISOString())]).toEqual([isNew, !isNew])
  })
})

describe('the saves of a ruleset', () => {
  /** Saves 2 to `last` of `rule`. */
  async function addSaves(last: number, name = 'rule') {
    const { id } = await draft()
    const rows = Array.from({ length: last - 1 }, (_, index) => ({
      project_id: world.project,
      draft_id: id,
      name,
      // Not in the order in which they are read.
      seq: last - index,
      ruleset: JSON.stringify(grading(name)),
      saved_at: new Date(0),
      saved_by: cast.owner.id,
    }))
    await database().note(world.org, ({ scope: own }) => own.insert('draft_saves', rows).execute())
  }
  const saved = async (stream: EventSource) =>
    (await stream.next()).events.filter(({ type }) => type === 'draft_saved').map(({ id }) => id)

  test('are told from the current one on, with who is present at first and after each change', async () => {
    const stream = rulesetEvents(scope, await draft(), undefined)
    expect((await stream.next()).events).toEqual([{ type: 'presence', data: { ruleset: 'rule', present: [] } }])
    await addSaves(2, 'renamed')
    const told = {
      ruleset: 'renamed',
      seq: 2,
      updated_at: '1970-01-01T00:00:00.000Z',
      updated_by: cast.owner.id,
    }
    expect((await stream.next()).events).toEqual([{ id: 2, type: 'draft_saved', data: told }])
    expect((await stream.next()).events).toEqual([])
    expect(stream.topics).toEqual([changesTopic(world.project)])
  })

  test('are told in their order, none twice and none of another ruleset', async () => {
    await addSaves(450)
    const stream = rulesetEvents(scope, await draft(), '0')
    const all: (string | number | undefined)[] = []
    for (let some = await saved(stream); some.length > 0; some = await saved(stream)) {
      expect(some.length).toBeLessThanOrEqual(200)
      all.push(...some)
    }
    expect(all).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
  })

  test('name the ruleset as the last of them does', async () => {
    await addSaves(3, 'renamed')
    const { events } = await rulesetEvents(scope, await draft(), '1').next()
    expect(events.at(-1)).toEqual({ type: 'presence', data: { ruleset: 'renamed', present: [] } })
  })

  test.each(['', 'x', '-1', '1.5', '1234567890', ' 1', '0x1'])('do not begin after %j', async (id) => {
    const row = await draft()
    expect(() => rulesetEvents(scope, row, id)).toThrow(/last_event_id.*must be the id of an event/)
  })
})
