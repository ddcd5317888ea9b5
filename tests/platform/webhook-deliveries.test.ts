import { randomUUIDv7 } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { EgressRefusal } from '@engine/egress'
import { createSecretBox } from '../../apps/platform-server/src/access/secret-box.ts'
import type { Page } from '../../apps/platform-server/src/database/page.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import {
  claimedColumns,
  type Deliveries,
  DELIVERIES_TOPIC,
  startDeliveries,
} from '../../apps/platform-server/src/features/webhooks/deliveries.ts'
import { enqueueReleaseEvent } from '../../apps/platform-server/src/features/webhooks/enqueue.ts'
import { redeliver } from '../../apps/platform-server/src/features/webhooks/redelivery.ts'
import {
  deliveriesOn,
  deliveryBy,
  webhookBy,
  webhookOf,
  type WebhookRow,
  webhooksOn,
} from '../../apps/platform-server/src/features/webhooks/repository.ts'
import type { Outcome, Outgoing, Sender } from '../../apps/platform-server/src/features/webhooks/sender.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
} from '../../apps/platform-server/src/features/webhooks/service.ts'
import type { InProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import type { Acting } from '../../apps/platform-server/src/resources/acting.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { SECRET_KEY } from './platform.testing.ts'
import { actingIn } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Webhooks and their messages as the database has them, with a sender that calls no one. */

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables
const secretBox = createSecretBox(SECRET_KEY)
let cast: Cast
let world: World
let scope: Scope
let acting: Acting<InProject>
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  await tables().deleteFrom('webhook_deliveries').execute()
  world = await addWorld(database(), cast, 'project.manage', { hasProject: true })
  scope = database().scope(world.org)
  acting = await actingIn(database(), world)
})
afterEach(() => void vi.useRealTimers())

/** A sender with this outcome for each message. */
function senderOf(send: (outgoing: Outgoing, signal: AbortSignal) => Promise<Outcome | undefined>) {
  const sent: Outgoing[] = []
  const sender: Sender = {
    send: (outgoing, signal) => {
      sent.push(outgoing)
      return send(outgoing, signal)
    },
    refuse: ({ hostname }) => {
      if (hostname === 'internal.example') throw new EgressRefusal('is a private address')
    },
    close: async () => {},
  }
  return { sender, sent }
}

/** Starts deliveries with this sender. Returns their counted results, messages and log as well. */
function delivering(send: (outgoing: Outgoing, signal: AbortSignal) => Promise<Outcome | undefined>) {
  const results: string[] = []
  const { sender, sent } = senderOf(send)
  const { log, lines } = memoryLog()
  const metrics = { ended: (result: string) => void results.push(result) }
  const deliveries = startDeliveries({ database: database(), secretBox, sender, metrics, log })
  onTestFinished(() => deliveries.stop())
  return { deliveries, results, sent, lines }
}
const answering = (status: number | null) => async () => ({ status, reason: status === null ? 'away' : undefined })

async function addDelivery(more: object = {}) {
  const id = randomUUIDv7()
  const row = { id, webhook_id: world.webhook, event: 'webhook_test', body: '{"a":1}', response_status: null }
  return database().note(world.org, ({ scope: own }) =>
    own
      .insert('webhook_deliveries', { ...row, ...claimedColumns(), ...more })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}
const deliveryNow = async (id: string) =>
  tables().selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const webhookNow = (id = world.webhook): Promise<WebhookRow> => webhookBy(scope, world.project, id)
const update = (columns: object) =>
  tables().updateTable('webhooks').set(columns).where('id', '=', world.webhook).execute()

describe('the outcome of an attempt', () => {
  const second = 1000
  test.each([
    [0, 200, 'success', undefined, 'delivered'],
    [5, 299, 'success', undefined, 'delivered'],
    [0, 199, 'pending', 5 * second, 'failed'],
    [0, 300, 'pending', 5 * second, 'failed'],
    [0, null, 'pending', 5 * second, 'failed'],
    [1, 500, 'pending', 30 * second, 'failed'],
    [2, 500, 'pending', 300 * second, 'failed'],
    [3, 500, 'pending', 3600 * second, 'failed'],
    [4, 500, 'pending', 21_600 * second, 'failed'],
    [5, 500, 'failed', undefined, 'given_up'],
  ] as const)('after %i others with the status %j is %s', async (attempt, answer, status, wait, result) => {
    const { deliveries, results, lines } = delivering(answering(answer))
    const row = await addDelivery({ attempt })
    const now = new Date('2026-01-01T00:00:00Z')
    vi.useFakeTimers({ toFake: ['Date'], now })
    await deliveries.attempt(row)
    vi.useRealTimers()
    expect(await deliveryNow(row.id)).toMatchObject({
      attempt: attempt + 1,
      status,
      response_status: answer,
      next_at: wait === undefined ? null : new Date(now.getTime() + wait),
      updated_at: now,
    })
    expect(results).toEqual([result])
    expect(lines).toHaveLength(status === 'success' ? 0 : 1)
  })

  test('at a disabled webhook is the last one', async () => {
    await update({ enabled: false })
    const { deliveries, results } = delivering(answering(500))
    const row = await addDelivery()
    await deliveries.attempt(row)
    expect(await deliveryNow(row.id)).toMatchObject({ attempt: 1, status: 'failed', next_at: null })
    expect(results).toEqual(['given_up'])
  })

  test('is none where this process ends: the message is due again, for another replica', async () => {
    const { deliveries, results, sent } = delivering(
      (_outgoing, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
    )
    const row = await addDelivery()
    const attempt = deliveries.attempt(row)
    await vi.waitFor(() => expect(sent).toHaveLength(1))
    await deliveries.stop()
    await attempt
    const { status, attempt: attempts, next_at } = await deliveryNow(row.id)
    expect([status, attempts, (next_at?.getTime() ?? Infinity) <= Date.now(), results]).toEqual([
      'pending',
      0,
      true,
      [],
    ])
  })

  test('is a failure where the secret cannot be read, and nothing is sent unsigned', async () => {
    await update({ secret_encrypted: secretBox.encrypt('whsec_AAAA', 'secret of another webhook') })
    const { deliveries, sent, lines } = delivering(answering(200))
    const row = await addDelivery()
    await deliveries.attempt(row)
    expect(sent).toEqual([])
    expect(await deliveryNow(row.id)).toMatchObject({ attempt: 1, status: 'pending', response_status: null })
    expect(lines).toHaveLength(1)
  })

  test('is none where the webhook was deleted meanwhile', async () => {
    const { deliveries, sent, results } = delivering(answering(200))
    const row = await addDelivery()
    await deleteWebhook(acting, world.webhook, undefined)
    await deliveries.attempt(row)
    expect([sent, results]).toEqual([[], []])
  })

  test('of a message has its address, its body and its content type', async () => {
    const { deliveries, sent } = delivering(answering(200))
    const row = await addDelivery({ body: '{"specversion":"1.0"}' })
    await deliveries.attempt(row)
    expect(sent).toMatchObject([
      {
        url: 'http://127.0.0.1:1/hook',
        body: '{"specversion":"1.0"}',
        headers: { 'content-type': 'application/cloudevents+json', 'webhook-id': row.id },
      },
    ])
    expect(sent[0]?.headers['user-agent']).toMatch(/^engine-platform\/\d/)
  })
})

describe('messages that are due', () => {
  const wake = () => database().note(world.org, ({ wake: topic }) => topic(DELIVERIES_TOPIC))

  test('are claimed by sixteen, the oldest first, for half a minute', async () => {
    const times = Array.from({ length: 17 }, (_, index) => new Date((17 - index) * 1000))
    const rows = await Promise.all(times.map((next_at, index) => addDelivery({ body: `${index}`, fence: 3, next_at })))
    const later = await addDelivery({ body: 'later', next_at: new Date(Date.now() + 60_000) })
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const { sent } = delivering(() => promise)
    await vi.waitFor(() => expect(sent).toHaveLength(16))
    // The newest has the time of the first that was made.
    expect(sent.map(({ body }) => body)).not.toContain('0')
    const claimed = await deliveryNow(rows[5]?.id ?? '')
    const lease = (claimed.next_at?.getTime() ?? 0) - Date.now()
    expect([claimed.fence, lease > 0, lease <= 30_000]).toEqual([4, true, true])
    resolve({ status: 200, reason: undefined })
    await vi.waitFor(() => expect(sent).toHaveLength(17))
    await vi.waitFor(async () => expect((await deliveryNow(rows[0]?.id ?? '')).status).toBe('success'))
    expect(await deliveryNow(later.id)).toMatchObject({ attempt: 0, fence: 1 })
  })

  test('of a webhook that was disabled meanwhile are dropped', async () => {
    await update({ enabled: false })
    const { sent, results } = delivering(answering(200))
    const row = await addDelivery({ next_at: new Date(0) })
    await wake()
    await vi.waitFor(async () => expect((await deliveryNow(row.id)).status).toBe('failed'))
    expect(await deliveryNow(row.id)).toMatchObject({ attempt: 0, next_at: null })
    expect([sent, results]).toEqual([[], ['given_up']])
  })
})

test('an event of a release becomes a message for each webhook that wants it, due at its time', async () => {
  await create('https://hooks.example/created', { events: ['release_created', 'stage_passed'] })
  await create('https://hooks.example/failed', { events: ['execution_failed'] })
  await create('https://hooks.example/disabled', { enabled: false })
  const at = new Date('2026-01-31T12:00:00Z')
  const told = {
    id: 7,
    type: 'release_created',
    at,
    release: { id: 'r', number: 1, title: 'first', kind: 'release', status: 'approved' },
    project: { org_id: world.org, id: world.project, name: 'Shop' },
    execution_id: null,
    actor: { type: 'user', id: 'u', name: 'Ann' },
    data: {},
  } as const
  let woken = 0
  onTestFinished(database().wakes.on(DELIVERIES_TOPIC, (isCertain) => void (woken += isCertain ? 1 : 0)))
  await database().note(world.org, (change) => enqueueReleaseEvent(change, told))
  const rows = await tables()
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select(['w.url', 'd.event', 'd.created_at', 'd.next_at', 'd.attempt', 'd.status'])
    .where('d.event', '=', 'release_created')
    .orderBy('w.url')
    .execute()
  const common = { event: 'release_created', created_at: at, next_at: at, attempt: 0, status: 'pending' }
  expect(rows).toEqual([
    { ...common, url: 'http://127.0.0.1:1/hook' },
    { ...common, url: 'https://hooks.example/created' },
  ])
  expect(woken).toBeGreaterThan(0)
  await database().note(world.org, (change) =>
    enqueueReleaseEvent(change, { ...told, project: { ...told.project, id: randomUUIDv7() } }),
  )
  expect(
    await tables().selectFrom('webhook_deliveries').select('id').where('event', '=', 'release_created').execute(),
  ).toHaveLength(2)
})

describe('a message that is sent again', () => {
  const none = (attempt: Deliveries['attempt']): Deliveries => ({ attempt, stop: async () => {} })

  test('is claimed by this replica alone, and audited as it was', async () => {
    let claimed: Parameters<Deliveries['attempt']>[0] | undefined
    const deliveries = none(async (row) => void (claimed = row))
    const before = await deliveryNow(world.delivery)
    const row = await redeliver(acting, deliveries, await webhookNow(), world.delivery)
    expect(row).toMatchObject({ id: world.delivery, status: 'pending', attempt: 6, fence: before.fence + 1 })
    expect((row.next_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(0)
    expect(claimed).toMatchObject({ id: world.delivery, fence: before.fence + 1, body: before.body })
    const [entry] = await audit()
    expect(entry).toMatchObject({ action: 'webhook.redelivered', object_id: world.webhook, object_name: '127.0.0.1:1' })
    expect(entry?.after).toMatchObject({ id: world.delivery, status: 'failed', attempt: 6, next_at: null })
    const busy = expect.objectContaining({ code: 'conflict' })
    await expect(redeliver(acting, deliveries, await webhookNow(), world.delivery)).rejects.toEqual(busy)
  })

  test('is one of this webhook', async () => {
    const { id } = await create('https://hooks.example/other')
    const unknown = expect.objectContaining({ code: 'not-found' })
    const deliveries = none(async () => {})
    await expect(redeliver(acting, deliveries, await webhookNow(id), world.delivery)).rejects.toEqual(unknown)
    expect(await deliveryBy(scope, id, world.delivery)).toBeUndefined()
    expect(await deliveriesOn(scope, id, page())).toEqual([])
    expect((await deliveriesOn(scope, world.webhook, page())).map((one) => one.id)).toEqual([world.delivery])
  })
})

const audit = () => scope.read('audit_entries').selectFrom('audit_entries').selectAll().orderBy('id', 'desc').execute()
const page = (contains?: string): Page => ({
  limit: 10,
  sort: 'created_at',
  descending: true,
  after: undefined,
  contains,
})
const { sender: SENDER } = senderOf(answering(200))
const create = (url: string, more: object = {}) =>
  createWebhook(acting, secretBox, SENDER, { url, events: ['*'], ...more })

describe('a webhook', () => {
  test('is enabled and of Standard Webhooks unless its request has it otherwise', async () => {
    expect(await create('https://hooks.example/a')).toMatchObject({ format: 'json', enabled: true })
    expect(await create('https://hooks.example/a', { format: 'teams', enabled: false })).toMatchObject({
      format: 'teams',
      enabled: false,
    })
  })

  test.each([
    { url: 'https://hooks.example/new' },
    { events: ['release_created', 'release_created'] },
    { format: 'slack' },
    { enabled: false },
  ] as const)('that changes by %o keeps the rest, and so do the others', async (change) => {
    const { id, secret: _secret, ...before } = await create('https://hooks.example/old')
    const stored = await webhookNow(id)
    const other = await webhookNow()
    const after = await changeWebhook(acting, SENDER, id, change as never, 1)
    const changed = 'events' in change ? { events: ['release_created'] } : change
    expect(after).toEqual({ ...before, ...changed, id, rev: 2, updated_at: expect.any(String) })
    expect((await webhookNow(id)).secret_encrypted).toEqual(stored.secret_encrypted)
    expect(await webhookNow()).toEqual(other)
    const [entry] = await audit()
    expect(entry).toMatchObject({ action: 'webhook.updated', before: { rev: 1 }, after: { rev: 2 } })
    expect(JSON.stringify(entry)).not.toMatch(/\/old|\/new/)
  })

  test('that is deleted leaves the others', async () => {
    const { id } = await create('https://hooks.example/a')
    const stale = expect.objectContaining({ code: 'conflict' })
    await expect(deleteWebhook(acting, id, 2)).rejects.toEqual(stale)
    await deleteWebhook(acting, id, 1)
    await expect(webhookNow(id)).rejects.toEqual(expect.objectContaining({ code: 'not-found' }))
    expect(await webhookNow()).toMatchObject({ id: world.webhook })
  })

  test.each([
    'hooks.example',
    'ftp://hooks.example/',
    'javascript:alert(1)',
    'https://ann@hooks.example/',
    'https://:secret@hooks.example/',
    'https://internal.example/',
  ])('has no receiver `%s`', async (url) => {
    const refused = expect.objectContaining({ details: [expect.objectContaining({ path: '/url' })] })
    await expect(create(url)).rejects.toEqual(refused)
    await expect(changeWebhook(acting, SENDER, world.webhook, { url }, undefined)).rejects.toEqual(refused)
    expect(await webhookNow()).toMatchObject({ url: 'http://127.0.0.1:1/hook', rev: 1 })
  })

  test('is one of its project, whose lists are searched by format alone', async () => {
    const { id } = await create('https://hooks.example/slack', { format: 'teams' })
    await expect(webhookBy(scope, randomUUIDv7(), id)).rejects.toEqual(expect.objectContaining({ code: 'not-found' }))
    const found = async (q?: string, project = world.project) =>
      (await webhooksOn(scope, project, page(q))).map((row) => row.id)
    expect(await found()).toEqual([id, world.webhook])
    expect(await found(undefined, randomUUIDv7())).toEqual([])
    expect([await found('team'), await found('slack')]).toEqual([[id], []])
  })

  test('shows the path of its URL only as a whole', async () => {
    const row = await webhookNow()
    expect(webhookOf(row, true).url).toBe('http://127.0.0.1:1/hook')
    expect(webhookOf(row, false).url).toBe('http://127.0.0.1:1/…')
  })
})
