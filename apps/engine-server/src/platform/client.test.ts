import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EngineHeartbeat, EngineRegistration } from '@engine/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlatformClient, type Credential, type PlatformClient, PlatformFailure } from './client.ts'

/** A platform that answers everything alike, and keeps the last request. */
let platform: Server
let client: PlatformClient
let answer: { status: number; text: string }
let asked: { method: string | undefined; path: string | undefined; headers: IncomingMessage['headers']; body: string }
beforeAll(async () => {
  platform = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      asked = { method: request.method, path: request.url, headers: request.headers, body }
      response.statusCode = answer.status
      response.end(answer.text)
    })
  })
  platform.listen(0, '127.0.0.1')
  await once(platform, 'listening')
  client = createPlatformClient(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`)
})
afterAll(async () => {
  await client.close()
  platform.close()
  await once(platform, 'close')
})

const never = new AbortController().signal
const REGISTERED = {
  server_id: 's',
  server_token: 't',
  heartbeat_interval_secs: 5,
  proxy_token: 'p',
  database_id: 'aaaaaaaa-0000-4000-8000-000000000001',
}
const BEAT = { revision: 3, changes: [], database_id: REGISTERED.database_id }
const register = (header: Credential['header'] = 'x-connect-token') =>
  client.register({ name: 'e' } as unknown as EngineRegistration, { header, value: 'c' }, never)
const heartbeat = () => client.heartbeat('t', { wait_ms: 100 } as EngineHeartbeat, never)
const ruleset = () => client.ruleset('t', 'd1', never)
const answering = (status: number, body: unknown) => {
  answer = { status, text: typeof body === 'string' ? body : JSON.stringify(body) }
}

describe('a request to the platform', () => {
  test('registers with its credential', async () => {
    answering(200, REGISTERED)
    expect(await register()).toEqual(REGISTERED)
    expect(asked).toMatchObject({ method: 'POST', path: '/api/v1/internal/register', body: '{"name":"e"}' })
    expect(asked.headers).toMatchObject({ 'x-connect-token': 'c', 'content-type': 'application/json' })
    expect(asked.headers).not.toHaveProperty('authorization')
    await register('x-registration-secret')
    expect(asked.headers).toMatchObject({ 'x-registration-secret': 'c' })
    expect(asked.headers).not.toHaveProperty('x-connect-token')
  })

  test('reports with its token', async () => {
    answering(200, BEAT)
    expect(await heartbeat()).toEqual(BEAT)
    expect(asked).toMatchObject({ method: 'POST', path: '/api/v1/internal/heartbeat', body: '{"wait_ms":100}' })
    expect(asked.headers).toMatchObject({ authorization: 'Bearer t' })
  })

  test('reads a content as its text', async () => {
    answering(200, '{"a": 1}')
    expect(await ruleset()).toBe('{"a": 1}')
    expect(asked).toMatchObject({ method: 'GET', path: '/api/v1/internal/rulesets/d1', body: '' })
    expect(asked.headers).toMatchObject({ authorization: 'Bearer t', accept: 'application/json' })
    expect(asked.headers).not.toHaveProperty('content-type')
  })
})

describe('a failure of the platform', () => {
  const failure = (work: () => Promise<unknown>) =>
    work().then(
      () => undefined,
      (error: unknown) => error,
    )

  test.each<[title: string, status: number, body: unknown, message: string, detail: string | undefined]>([
    [
      'with a reason and a code',
      403,
      { error: 'no', details: [{ code: 'disabled' }] },
      'the platform answered 403: no',
      'disabled',
    ],
    ['with a reason alone', 409, { error: 'no' }, 'the platform answered 409: no', undefined],
    ['with a code that is none', 409, { error: 1, details: [{ code: 1 }] }, 'the platform answered 409', undefined],
    ['with details that are none', 409, { details: {} }, 'the platform answered 409', undefined],
    ['without JSON', 502, '<html>', 'the platform answered 502', undefined],
    ['with another success', 201, REGISTERED, 'the platform answered 201', undefined],
    ['with a long reason', 500, { error: 'x'.repeat(400) }, `the platform answered 500: ${'x'.repeat(300)}`, undefined],
  ])('%s is named with its status', async (_title, status, body, message, detail) => {
    answering(status, body)
    const error = await failure(() => register())
    expect(error).toBeInstanceOf(PlatformFailure)
    expect(error).toMatchObject({ status, message, detail })
  })

  test.each<[title: string, body: unknown]>([
    ['is no JSON', '{'],
    ['has another form', { revision: '3', changes: [] }],
  ])('whose answer %s has no status', async (_title, body) => {
    answering(200, body)
    const error = await failure(heartbeat)
    expect(error).toMatchObject({ status: undefined, message: expect.stringContaining('cannot be read: ') })
    expect(error).toMatchObject({ message: expect.stringContaining('(heartbeat)') })
  })

  test('that sends more than a ruleset may have is cut off', async () => {
    const most = 16 * 1024 * 1024
    answering(200, JSON.stringify(BEAT).padEnd(most))
    expect(await heartbeat()).toEqual(BEAT)
    answering(200, JSON.stringify(BEAT).padEnd(most + 1))
    expect(await failure(heartbeat)).toMatchObject({
      status: undefined,
      message: 'the platform sent more than 16777216 bytes',
    })
  })

  test('that cannot be reached has the reason', async () => {
    const away = createPlatformClient('http://127.0.0.1:1')
    const error = await failure(() => away.ruleset('t', 'd', never))
    expect(error).toMatchObject({
      status: undefined,
      message: expect.stringMatching(/^the platform cannot be reached: .+/),
    })
    await away.close()
  })

  test('that is no longer awaited is one', async () => {
    const ended = AbortSignal.abort(new Error('stopped'))
    expect(await failure(() => client.ruleset('t', 'd', ended))).toBeInstanceOf(PlatformFailure)
  })
})
