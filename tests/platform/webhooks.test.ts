import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { SecretBox } from '../../apps/platform-server/src/access/secret-box.ts'
import { DELIVERIES_TOPIC, startDeliveries } from '../../apps/platform-server/src/features/webhooks/deliveries.ts'
import { enqueueReleaseEvent } from '../../apps/platform-server/src/features/webhooks/enqueue.ts'
import { enqueue } from '../../apps/platform-server/src/features/webhooks/service.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

interface Seen {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver of messages. */
async function receiver(answer: (response: ServerResponse, count: number) => void) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        seen.push({ url: request.url, headers: request.headers, body })
        answer(response, seen.length)
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=x` }
}

const fine = (response: ServerResponse) => response.end('ok')

/** Whether a receiver takes a message, by Standard Webhooks. */
function isSigned(secret: string, { headers, body }: Seen): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const isRecent = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  return isRecent && headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--webhook-allow', '127.0.0.1'])
    team = await startTeam(platform)
  })
  afterAll(() => platform.stop())

  const all = () => `${team.P}/webhooks`
  const make = (url: string, more: object = {}) =>
    made(team.owner.request('POST', all(), { url, events: ['*'], ...more }))
  const send = (id: string) => team.owner.request('POST', `${all()}/${id}/test`)
  const deliveries = async (id: string) => (await team.owner.request('GET', `${all()}/${id}/deliveries`)).body.items
  /** As if the time of the next attempt had come. */
  async function due(webhook: string): Promise<void> {
    const { tables } = database().unscoped
    await tables
      .updateTable('webhook_deliveries')
      .set({ next_at: new Date(0) })
      .where('webhook_id', '=', webhook)
      .where('status', '=', 'pending')
      .execute()
    await database().note(team.org as OrgId, ({ wake }) => wake(DELIVERIES_TOPIC))
  }

  test('a webhook is created with a secret that is shown once, listed, changed and deleted', async () => {
    const { owner } = team
    const answer = await owner.request('POST', all(), { url: 'https://hooks.example/T/B/secret#x', events: ['*', '*'] })
    const { secret, ...webhook } = answer.body
    expect([answer.status, secret]).toEqual([201, expect.stringMatching(/^whsec_[\w+/]{43}=$/)])
    expect(webhook).toMatchObject({ url: 'https://hooks.example/T/B/secret', events: ['*'], format: 'json', rev: 1 })
    expect(answer.headers.get('location')).toBe(`${all()}/${webhook.id}`)
    const one = `${all()}/${webhook.id}`
    expect((await owner.request('GET', one)).body).toEqual(webhook)
    expect((await owner.request('GET', all())).body.items).toContainEqual(webhook)
    const stale = await owner.request('PUT', one, { enabled: false }, { 'if-match': '"7"' })
    expect([stale.status, stale.body.details[0].code, stale.body.current.rev]).toEqual([409, 'stale', 1])
    const changed = await owner.request('PUT', one, { enabled: false, format: 'slack' }, { 'if-match': '"1"' })
    expect(changed.body).toMatchObject({ enabled: false, format: 'slack', url: webhook.url, rev: 2 })
    expect((await owner.request('DELETE', one)).status).toBe(204)
    expect((await owner.request('GET', one)).status).toBe(404)
    const audit = await owner.request('GET', `${team.O}/audit?object_id=${webhook.id}`)
    const actions = audit.body.items.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(['webhook.deleted', 'webhook.updated', 'webhook.created'])
    expect(audit.text).not.toMatch(/whsec_|secret/)
  })

  test('the path of its URL, which may be a secret, is for those who manage the project', async () => {
    const { id } = await make('https://hooks.example/T/B/secret')
    const { body } = await team.owner.request('POST', `${team.O}/api-keys`, { name: id, scopes: ['project.read'] })
    const reader = platform.program(body.token)
    expect((await reader.request('GET', `${all()}/${id}`)).body.url).toBe('https://hooks.example/…')
    expect((await reader.request('GET', all())).text).not.toContain('secret')
    // A key for one environment does not manage the project, whatever its scopes.
    const limited = { name: newName(), scopes: ['project.read', 'project.manage'], environments: ['dev'] }
    const { token } = await made(team.owner.request('POST', `${team.O}/api-keys`, limited))
    const url = async (client: Client) => (await client.request('GET', `${all()}/${id}`)).body.url
    expect(await url(platform.program(token))).toBe('https://hooks.example/…')
    expect(await url(team.owner)).toBe('https://hooks.example/T/B/secret')
  })

  test('a test is sent immediately, signed, and listed', async () => {
    const { seen, url } = await receiver(fine)
    const { id, secret } = await make(url)
    const { status, body } = await send(id)
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        event: 'webhook_test',
        at: expect.any(String),
        attempt: 1,
        status: 'success',
        response_status: 200,
        next_at: null,
      },
    ])
    expect(await deliveries(id)).toEqual([body])
    const [message] = seen
    if (message === undefined) throw new Error('nothing came')
    expect(message.url).toBe('/hook?key=x')
    expect(message.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': body.id })
    expect(isSigned(secret, message)).toBe(true)
    expect(isSigned(secret, { ...message, body: `${message.body} ` })).toBe(false)
    expect(JSON.parse(message.body)).toEqual({
      type: 'webhook_test',
      timestamp: body.at,
      data: { org_id: team.org, project_id: team.project, project_name: 'Shop', webhook_id: id },
    })
  })

  test('in the format cloudevents it is an event of CloudEvents 1.0, signed over its body', async () => {
    const { seen, url } = await receiver(fine)
    const { id, secret } = await made(
      team.owner.request('POST', `${team.O}/projects/${team.project}/webhooks`, {
        url,
        events: ['*'],
        format: 'cloudevents',
      }),
    )
    const { body } = await team.owner.request('POST', `${team.O}/projects/${team.project}/webhooks/${id}/test`, {})
    const [message] = seen
    if (message === undefined) throw new Error('nothing came')
    expect(message.headers).toMatchObject({ 'content-type': 'application/cloudevents+json', 'webhook-id': body.id })
    expect(isSigned(secret, message)).toBe(true)
    expect(JSON.parse(message.body)).toEqual({
      specversion: '1.0',
      id: body.id,
      source: `/orgs/${team.org}/projects/${team.project}`,
      type: 'engine.webhook.test',
      subject: id,
      time: body.at,
      datacontenttype: 'application/json',
      data: {
        type: 'webhook_test',
        timestamp: body.at,
        data: { org_id: team.org, project_id: team.project, project_name: 'Shop', webhook_id: id },
      },
    })
  })

  test.each([
    ['slack', { text: 'A test of the webhook of the project &lt;Shop&gt; &amp; *more*.' }],
    [
      'teams',
      {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            content: {
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                {
                  type: 'TextBlock',
                  text: String.raw`A test of the webhook of the project \<Shop\> & \*more\*.`,
                  wrap: true,
                },
              ],
            },
          },
        ],
      },
    ],
  ])('in the format %s it has the form of that chat, without markup of names', async (format, expected) => {
    const { id } = await made(team.owner.request('POST', `${team.O}/projects`, { name: `<Shop> & *more*` })).catch(
      async () => {
        const { body } = await team.owner.request('GET', `${team.O}/projects?q=more`)
        return body.items[0]
      },
    )
    const { seen, url } = await receiver(fine)
    const hooks = `${team.O}/projects/${id}/webhooks`
    const webhook = await made(team.owner.request('POST', hooks, { url, events: ['*'], format }))
    expect((await team.owner.request('POST', `${hooks}/${webhook.id}/test`)).body.status).toBe('success')
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(expected)
  })

  test('a message that is not accepted is sent again unchanged until it is', async () => {
    const { seen, url } = await receiver((response, count) => {
      response.statusCode = count < 3 ? 503 : 204
      response.end()
    })
    const { id, secret } = await make(url)
    const first = (await send(id)).body
    expect(first).toMatchObject({ attempt: 1, status: 'pending', response_status: 503 })
    const wait = Date.parse(first.next_at) - Date.now()
    expect(wait).toBeLessThanOrEqual(5000)
    await due(id)
    await expect.poll(async () => (await deliveries(id))[0].attempt).toBe(2)
    const second = (await deliveries(id))[0]
    expect(Date.parse(second.next_at) - Date.now()).toBeGreaterThan(15_000)
    await due(id)
    await expect
      .poll(async () => (await deliveries(id))[0])
      .toMatchObject({
        attempt: 3,
        status: 'success',
        response_status: 204,
        next_at: null,
      })
    expect(new Set(seen.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first.id]))
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
    for (const message of seen) expect(isSigned(secret, message)).toBe(true)
  })

  test('a message can be sent again under its id, once it is delivered or given up', async () => {
    const answers = [500, 204, 503, 204]
    const { seen, url } = await receiver((response, count) => {
      response.statusCode = answers[count - 1] ?? 204
      response.end()
    })
    const { id, secret } = await make(url, { enabled: false })
    const first = (await send(id)).body
    const redeliver = (of = first.id) => team.owner.request('POST', `${all()}/${id}/deliveries/${of}/redeliver`)
    expect(first).toMatchObject({ attempt: 1, status: 'failed', response_status: 500 })
    expect((await redeliver()).body).toMatchObject({
      id: first.id,
      attempt: 2,
      status: 'success',
      response_status: 204,
    })
    expect((await redeliver()).body).toMatchObject({
      attempt: 3,
      status: 'failed',
      response_status: 503,
      next_at: null,
    })
    await team.owner.request('PUT', `${all()}/${id}`, { enabled: true })
    expect((await redeliver()).body).toMatchObject({ attempt: 4, status: 'success' })
    expect(await deliveries(id)).toMatchObject([{ id: first.id, attempt: 4 }])
    expect(seen.map(({ headers }) => headers['webhook-id'])).toEqual(seen.map(() => first.id))
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1)
    for (const message of seen) expect(isSigned(secret, message)).toBe(true)
    const audit = await team.owner.request('GET', `${team.O}/audit?object_id=${id}&action=webhook.redelivered`)
    expect(audit.body.items).toHaveLength(3)
    for (const unknown of [id, 'x']) expect((await redeliver(unknown)).status).toBe(404)
  })

  test('a message that is still being delivered is not sent in parallel', async () => {
    const { url } = await receiver((response) => {
      response.statusCode = 500
      response.end()
    })
    const { id } = await make(url)
    const { id: message, status } = (await send(id)).body
    expect(status).toBe('pending')
    const refused = await team.owner.request('POST', `${all()}/${id}/deliveries/${message}/redeliver`)
    expect([refused.status, refused.body.details[0].code, refused.body.current.id]).toEqual([409, 'busy', message])
    expect((await deliveries(id))[0]).toMatchObject({ attempt: 1, status: 'pending' })
  })

  test('after the sixth attempt it is given up', async () => {
    const { seen, url } = await receiver((response) => {
      response.statusCode = 500
      response.end()
    })
    const { id } = await make(url)
    await send(id)
    const waits: number[] = []
    for (let attempt = 2; attempt <= 6; attempt++) {
      const [before] = await deliveries(id)
      waits.push(Math.round((Date.parse(before.next_at) - Date.now()) / 10_000) * 10)
      await due(id)
      await expect.poll(async () => (await deliveries(id))[0].attempt).toBe(attempt)
    }
    // Seconds, but for the first few.
    expect(waits.slice(2)).toEqual([300, 3600, 21_600])
    expect((await deliveries(id))[0]).toMatchObject({ status: 'failed', response_status: 500, next_at: null })
    await due(id)
    expect(seen).toHaveLength(6)
    expect((await platform.browser().request('GET', '/metrics')).text).toMatch(
      /engine_platform_webhook_deliveries_total\{result="given_up"\} [1-9]/,
    )
  })

  test('a redirect is not followed, and an answer without end is not read', async () => {
    const { seen: reached, url: behind } = await receiver(fine)
    const { url } = await receiver((response) => {
      response.writeHead(307, { location: behind })
      response.end()
    })
    const { id } = await make(url)
    expect((await send(id)).body).toMatchObject({ status: 'pending', response_status: 307 })
    expect(reached).toEqual([])
    const endless = await receiver((response) => {
      response.writeHead(200)
      let isOver = false
      response.once('close', () => (isOver = true))
      const write = () => {
        if (!isOver) response.write('x'.repeat(65_536), () => setImmediate(write))
      }
      write()
    })
    const other = await make(endless.url)
    expect((await send(other.id)).body).toMatchObject({ status: 'success', response_status: 200 })
  })

  test('a receiver that breaks off, or is unreachable, has no status', async () => {
    const { url } = await receiver((response) => response.destroy())
    const broken = await make(url)
    expect((await send(broken.id)).body).toMatchObject({ attempt: 1, status: 'pending', response_status: null })
    const absent = await make('http://127.0.0.1:1/')
    expect((await send(absent.id)).body).toMatchObject({ attempt: 1, status: 'pending', response_status: null })
  })

  test('a name that stands for a private address is not called', async () => {
    const { seen, url } = await receiver(fine)
    const { id } = await make(url.replace('127.0.0.1', 'localhost'))
    const other = await startPlatform(database())
    const client = other.browser()
    for (const [name, value] of team.owner.cookies) client.cookies.set(name, value)
    const { body } = await client.request('POST', `${all()}/${id}/test`)
    expect(body).toMatchObject({ status: 'pending', response_status: null })
    expect(seen).toEqual([])
    const logged = other.lines.map(([, fields]) => JSON.stringify(fields))
    expect(logged.some((line) => line.includes('is a private address') && line.includes('--webhook-allow'))).toBe(true)
    await other.stop()
  })

  test('an event is delivered by one of several replicas, once', async () => {
    const { seen, url } = await receiver(fine)
    const { id, secret } = await make(url)
    const other = await startPlatform(database(), ['--webhook-allow', '127.0.0.1'])
    const event = { type: 'execution_completed', summary: 'done', data: { release: 'r' } } as const
    for (let index = 0; index < 20; index++)
      await database().note(team.org as OrgId, (change) =>
        enqueue(change, { id, format: 'json' }, { ...event, at: new Date() }),
      )
    await expect
      .poll(async () => (await deliveries(id)).every(({ status }: { status: string }) => status === 'success'))
      .toBe(true)
    expect(seen).toHaveLength(20)
    expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(20)
    expect(seen.every((message) => isSigned(secret, message))).toBe(true)
    await other.stop()
  })

  test('another replica delivers the messages of a killed one', async () => {
    const { seen, url } = await receiver(fine)
    const { id } = await make(url)
    // As it is left behind: claimed, and the lease is over.
    await database().note(team.org as OrgId, async ({ scope, wake }) => {
      const message = { id: crypto.randomUUID(), webhook_id: id, event: 'release_created', body: '{}', fence: 3 }
      await scope
        .insert('webhook_deliveries', { ...message, response_status: null, next_at: new Date(Date.now() - 1) })
        .execute()
      await wake(DELIVERIES_TOPIC)
    })
    await expect.poll(async () => (await deliveries(id))[0]).toMatchObject({ status: 'success', attempt: 1 })
    expect(seen).toHaveLength(1)
  })

  test('a disabled webhook gets a test, once, and nothing else', async () => {
    const { seen, url } = await receiver((response) => {
      response.statusCode = 500
      response.end()
    })
    const { id } = await make(url, { enabled: false })
    expect((await send(id)).body).toMatchObject({ status: 'failed', attempt: 1, next_at: null })
    await database().note(team.org as OrgId, (change) =>
      enqueue(change, { id, format: 'json' }, { type: 'release_created', at: new Date(), summary: '', data: {} }),
    )
    await expect.poll(async () => (await deliveries(id))[0]).toMatchObject({ status: 'failed', attempt: 0 })
    expect(seen).toHaveLength(1)
  })

  test('an event of a release goes to the enabled webhooks of its project that subscribe to it', async () => {
    const other = await made(team.owner.request('POST', `${team.O}/projects`, { name: newName() }))
    const elsewhere = { url: 'http://127.0.0.1:1/', events: ['*'] }
    const webhooks = {
      all: (await make('http://127.0.0.1:1/')).id,
      its: (await make('http://127.0.0.1:1/', { events: ['release_created'] })).id,
      another: (await make('http://127.0.0.1:1/', { events: ['release_cancelled'] })).id,
      disabled: (await make('http://127.0.0.1:1/', { enabled: false })).id,
      foreign: (await made(team.owner.request('POST', `${team.O}/projects/${other.id}/webhooks`, elsewhere))).id,
    }
    const told = {
      id: 1,
      type: 'release_created',
      at: new Date(),
      release: { id: 'r', number: 1, title: 'first', kind: 'release', status: 'approved' },
      project: { org_id: team.org, id: team.project, name: 'Shop' },
      execution_id: null,
      actor: { type: 'user', id: 'u', name: 'Ann' },
      data: {},
    } as const
    const count = async () =>
      database()
        .unscoped.tables.selectFrom('webhook_deliveries')
        .select('webhook_id')
        .where('webhook_id', 'in', Object.values(webhooks))
        .execute()
    await database().note(team.org as OrgId, (change) => enqueueReleaseEvent(change, told))
    const names = new Map(Object.entries(webhooks).map(([name, id]) => [id, name]))
    expect(new Set((await count()).map(({ webhook_id }) => names.get(webhook_id)))).toEqual(new Set(['all', 'its']))
  })

  test('an attempt whose message another replica has taken over stores no outcome', async () => {
    const { id } = await make('https://hooks.example/', { enabled: false })
    const message = { id: crypto.randomUUID(), webhook_id: id, event: 'webhook_test', body: '{}', fence: 2 }
    const row = await database().note(team.org as OrgId, ({ scope }) =>
      scope
        .insert('webhook_deliveries', { ...message, response_status: null, next_at: new Date(Date.now() + 60_000) })
        .returningAll()
        .executeTakeFirstOrThrow(),
    )
    const running = startDeliveries({
      database: database(),
      secretBox: { decrypt: () => 'whsec_AAAA' } as unknown as SecretBox,
      sender: { send: async () => ({ status: 200, reason: undefined }), refuse: () => {}, close: async () => {} },
      metrics: { ended: () => {} },
      log: memoryLog().log,
    })
    const stored = async () =>
      database()
        .unscoped.tables.selectFrom('webhook_deliveries')
        .select(['attempt', 'response_status'])
        .where('id', '=', row.id)
        .executeTakeFirstOrThrow()
    await running.attempt({ ...row, fence: 1 })
    expect(await stored()).toEqual({ attempt: 0, response_status: null })
    await running.attempt(row)
    expect(await stored()).toEqual({ attempt: 1, response_status: 200 })
    await running.stop()
  })
})
