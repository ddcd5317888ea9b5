import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { answering } from '../workers.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { addEngine, engineNamed, startTeam, type Team, want } from './engines.testing.ts'
import { type FakeEngine, startFakeEngine } from './fake-engine.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

/* Single decisions through the proxy in the fast lane, held to those over `node:http`. */

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let fake: FakeEngine
let answer: (response: ServerResponse) => void
const keys: Record<string, string> = {}

beforeAll(async () => {
  platform = await startPlatform(database(), ['--heartbeat-interval-secs', '60'])
  team = await startTeam(platform)
  fake = await startFakeEngine((response) => answer(response))
  const engine = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID(), { url: fake.url }))
  await engine.beat()
  await team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: [engine.id] })
  const { body } = await team.owner.request('GET', `${team.P}/environments/prod`)
  await want(database(), team.org, body.id, [answering('DONE', 'fee')])
  const other = await team.owner.request('POST', `${team.O}/projects`, { name: 'Other' })
  const stranger = await startTeam(platform)
  const foreign = { name: 'foreign', scopes: ['decision.execute'] }
  keys['of another organization'] = (await stranger.owner.request('POST', `${stranger.O}/api-keys`, foreign)).body.token
  for (const [name, key] of Object.entries({
    deciding: { scopes: ['decision.execute'] },
    reading: { scopes: ['project.read'] },
    'of another environment': { scopes: ['decision.execute'], environments: ['dev'] },
    'of another project': { scopes: ['decision.execute'], project_ids: [other.body.id] },
  })) {
    const made = await team.owner.request('POST', `${team.O}/api-keys`, { name, ...key })
    keys[name] = made.body.token
  }
})
afterAll(async () => {
  fake.stop()
  await platform.stop()
})

/** Requests of the platform that `node:http` has parsed. */
let parsed = 0
const count = (message: unknown) => {
  const { server } = message as { readonly server: { address(): { readonly port?: number } | null } }
  if (server.address()?.port === Number(new URL(platform.url).port)) parsed++
}
beforeEach(() => {
  parsed = 0
  answer = decided
  subscribe('http.server.request.start', count)
  return () => unsubscribe('http.server.request.start', count)
})

const decided = (response: ServerResponse) => {
  const report = { 'x-ruleset-digest': 'a'.repeat(64), 'x-result-code': 'DONE', 'x-secret': 'no' }
  response.writeHead(200, { ...report, 'content-length': '15' }).end('{"code":"DONE"}')
}

interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const CHUNKED: Sent = {
  headers: { 'content-length': '', 'transfer-encoding': 'chunked' },
  body: 'c\r\n{"input":{}}\r\n0\r\n\r\n',
}

/** The bytes of a request with this key; a header without a value is left out. */
function bytesOf(key: string | undefined, { path = 'execute/fee', headers = {}, body = '{"input":{}}' }: Sent): string {
  const all = {
    host: new URL(platform.url).host,
    ...(key === undefined ? {} : { authorization: `Bearer ${keys[key] ?? key}` }),
    'content-type': 'application/json',
    'x-request-id': 'one',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => (value === '' ? '' : `${name}: ${value}\r\n`))
  return `POST /api/v1/engine/${team.project}/${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Sends bytes; everything received until so many answers have ended, or the platform has closed the connection. */
async function exchanged(bytes: string, answers = 1, { url } = platform): Promise<readonly string[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  const found: string[] = []
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (piece: string) => {
      text += piece
      for (let end = endOf(text); end > 0; end = endOf(text)) {
        found.push(text.slice(0, end))
        text = text.slice(end)
      }
      if (found.length === answers) resolve()
    })
    socket.once('close', resolve)
    socket.on('error', () => {})
  })
  socket.write(bytes, 'utf8')
  await ended
  return text === '' ? found : [...found, text]
}

/** Where the first answer ends; 0: it has not ended. */
function endOf(text: string): number {
  const head = text.indexOf('\r\n\r\n') + 4
  if (head < 4) return 0
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, head))?.[1]
  if (length !== undefined) return text.length < head + Number(length) ? 0 : head + Number(length)
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(text.slice(0, head))) return head
  const last = text.indexOf('\r\n0\r\n\r\n', head - 2)
  return last < 0 ? 0 : last + 7
}

/** An answer without its date, its chunks joined and its headers in order. */
function comparable(text: string): string {
  const [head = '', ...rest] = text.replaceAll(/"?[0-9a-f]{8}-[0-9a-f-]{27}"?(?=\r\n|\}$)/g, '…').split('\r\n\r\n')
  const [line = '', ...headers] = head.split('\r\n')
  const isChunked = headers.some((header) => /^transfer-encoding: chunked$/i.test(header))
  const content = rest.join('\r\n\r\n')
  const body = isChunked ? content.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '') : content
  return [line, ...headers.filter((header) => !/^date:/i.test(header)).toSorted(), '', body].join('\n')
}

/** The same request in the fast lane and over `node:http`. */
async function both(key: string | undefined, sent: Sent): Promise<readonly [lane: string, parsed: string]> {
  const found: string[] = []
  for (const headers of [{}, { te: 'trailers' }]) {
    const [text = ''] = await exchanged(bytesOf(key, { ...sent, headers: { ...sent.headers, ...headers } }))
    found.push(comparable(text))
  }
  const [lane = '', other = ''] = found
  expect(parsed).toBe(1)
  return [lane, other]
}

test.each<[what: string, key: string | undefined, sent: Sent, status: number]>([
  ['a decision', 'deciding', {}, 200],
  ['a decision with a report', 'deciding', { headers: { 'x-engine-report': '1' } }, 200],
  ['a decision in a named environment', 'deciding', { headers: { 'x-environment': 'prod' } }, 200],
  ['an environment that does not exist', 'deciding', { headers: { 'x-environment': 'none' } }, 404],
  ['no key', undefined, {}, 401],
  ['an unknown key', `eng_key_${'a'.repeat(43)}`, {}, 401],
  ['a key in the other header', undefined, { headers: { 'x-api-key': 'eng_key_x' } }, 401],
  ['a key without the right', 'reading', {}, 403],
  ['a key of another environment', 'of another environment', {}, 403],
  ['a key of another project', 'of another project', {}, 404],
  ['a key of another organization', 'of another organization', {}, 404],
  ['a name that is not live', 'deciding', { path: 'execute/other' }, 404],
  ['a name that a ruleset cannot have', 'deciding', { path: 'execute/a..b' }, 400],
  ['a long name', 'deciding', { path: `execute/${'a'.repeat(300)}` }, 400],
  ['the name of a candidate', 'deciding', { path: 'execute/fee.r7' }, 404],
  ['a body that is not JSON', 'deciding', { body: '{' }, 200],
  [
    'a page of another origin',
    'deciding',
    { headers: { origin: 'https://a.example', 'sec-fetch-site': 'cross-site' } },
    200,
  ],
  [
    'a page without a key',
    undefined,
    { headers: { origin: 'https://a.example', 'sec-fetch-site': 'cross-site' } },
    401,
  ],
  ['a request id of no valid form', 'reading', { headers: { 'x-request-id': 'a b', accept: 'application/json' } }, 403],
  ['another content type', 'deciding', { headers: { 'content-type': 'text/plain' } }, 415],
  ['hops that are no number', 'deciding', { headers: { 'x-engine-hops': 'x' } }, 400],
  ['an error as problem details', 'reading', { headers: { accept: 'application/problem+json' } }, 403],
])('%s has the same answer', async (_what, key, sent, status) => {
  const [lane, other] = await both(key, sent)
  expect(lane).toBe(other)
  expect(lane).toMatch(`HTTP/1.1 ${status} `)
})

const LONG = Buffer.alloc(300_000, 'ab')

test.each<[what: string, answer: (response: ServerResponse) => void, status: number]>([
  ['short and not ASCII', (response) => response.writeHead(200, { 'content-length': 4 }).end('"ä"'), 200],
  [
    'encoded',
    (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 2 }).end('\x80\xff', 'latin1'),
    200,
  ],
  ['an error', (response) => response.writeHead(422).end('{"code":"FAILED"}'), 422],
  ['long', (response) => response.writeHead(200, { 'content-length': LONG.length }).end(LONG), 200],
  ['long, in chunks', (response) => response.writeHead(200).end(LONG), 200],
  ['empty', (response) => response.writeHead(204).end(), 204],
  ['a redirect', (response) => response.writeHead(302, { location: '/', 'content-length': 0 }).end(), 502],
  [
    'a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('<>'),
    502,
  ],
])('an answer that is %s passes in the same form', async (_what, given, status) => {
  answer = given
  const [lane, other] = await both('deciding', {})
  expect(lane).toBe(other)
  expect(lane).toMatch(`HTTP/1.1 ${status} `)
})

test('the engine gets the same request', async () => {
  const headers = {
    'x-engine-hops': '3',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    'accept-encoding': 'gzip',
    'x-tenant-id': 'other',
    'x-ruleset': 'other',
    via: '1.1 here',
  }
  const before = fake.seen.length
  await both('deciding', { headers, body: '{"input":{"a":"ä"}}' })
  const [lane, other, ...more] = fake.seen.slice(before)
  expect([lane, more]).toEqual([other, []])
  expect(lane?.headers).toMatchObject({ 'x-engine-hops': '3', 'x-request-id': 'one' })
  expect(lane?.body).toBe('{"input":{"a":"ä"}}')
})

test.each<[what: string, bytes: () => string, status: number]>([
  ['a cookie', () => bytesOf(undefined, { headers: { cookie: 'session=x' } }), 401],
  ['an idempotency key', () => bytesOf('deciding', { headers: { 'idempotency-key': 'a' } }), 200],
  ['an unknown header of engines', () => bytesOf('deciding', { headers: { 'x-engine-other': '1' } }), 200],
  ['a query', () => bytesOf('deciding', { path: 'execute/fee?other=1' }), 400],
  ['a repeated key', () => bytesOf('deciding', {}).replace('\r\n\r\n', '\r\nAuthorization: Bearer x\r\n\r\n'), 400],
  ['a body in chunks', () => bytesOf('deciding', CHUNKED), 200],
  ['a longer body', () => bytesOf('deciding', { body: `{"input":{"a":"${'a'.repeat(65_536)}"}}` }), 200],
  ['a too large body', () => bytesOf('deciding', { headers: { 'content-length': '99999999' }, body: '{' }), 413],
])('%s leaves the lane', async (_what, bytes, status) => {
  const [text] = await exchanged(bytes())
  expect([text?.slice(0, 12), parsed]).toEqual([`HTTP/1.1 ${status}`, 1])
})

test('a request that arrives slowly leaves the lane', async () => {
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  const bytes = bytesOf('deciding', {})
  // The lane waits for 250 ms. A busy machine may delay a part until the next one has arrived.
  for (const pause of [500, 2000, 8000]) {
    if (parsed === 1) break
    socket.write(bytes.slice(0, 40))
    await new Promise((resolve) => setTimeout(resolve, pause))
    socket.write(bytes.slice(40))
    const [text] = (await once(socket, 'data')) as [string]
    expect(text.slice(0, 12)).toBe('HTTP/1.1 200')
  }
  expect(parsed).toBe(1)
})

test('a key that is revoked decides no more over the same connection', async () => {
  const made = await team.owner.request('POST', `${team.O}/api-keys`, { name: 'old', scopes: ['decision.execute'] })
  keys['old'] = made.body.token
  parsed = 0
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  const status = async () => {
    socket.write(bytesOf('old', {}))
    const [text] = (await once(socket, 'data')) as [string]
    return text.slice(0, 12)
  }
  expect([await status(), await status()]).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  expect(parsed).toBe(0)
  await team.owner.request('DELETE', `${team.O}/api-keys/${made.body.id}`)
  parsed = 0
  expect([await status(), parsed]).toEqual(['HTTP/1.1 401', 0])
  expect((await both('old', {}))[1]).toMatch('HTTP/1.1 401 ')
})

test('a request that takes too long is answered, and ends at the engine', async () => {
  const hasty = await startPlatform(database(), ['--request-timeout-secs', '1'])
  onTestFinished(() => hasty.stop())
  let open = 0
  answer = (response) => {
    open++
    response.once('close', () => open--)
  }
  const found: string[] = []
  for (const headers of [{}, { te: 'trailers' }]) {
    const [text = ''] = await exchanged(bytesOf('deciding', { headers }), 1, hasty)
    found.push(comparable(text))
  }
  expect(found[0]).toMatch('HTTP/1.1 504 ')
  expect(found[0]).toBe(found[1])
  await expect.poll(() => open).toBe(0)
})

test('a request that is pending at the shutdown is answered, and closes its connection', async () => {
  const ending = await startPlatform(database())
  const { promise: asked, resolve: ask } = Promise.withResolvers<ServerResponse>()
  answer = ask
  const text = exchanged(bytesOf('deciding', {}), 2, ending)
  const response = await asked
  const stopped = ending.stop()
  await expect.poll(() => fetch(`${ending.url}/health`).catch(() => undefined)).toBeUndefined()
  decided(response)
  const [found] = await text
  await stopped
  expect(found).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nconnection: close\r\n[^]*\{"code":"DONE"\}$/)
})

test('metrics count both, and logs and a base path treat them alike', async () => {
  const behind = await startPlatform(database(), ['--base-path', '/platform/', '--access-log'])
  onTestFinished(() => behind.stop())
  const found: object[] = []
  for (const headers of [{}, { te: 'trailers' }]) {
    const bytes = bytesOf('reading', { headers }).replace(' /api', ' /platform/api')
    await exchanged(bytes, 1, behind)
    await expect
      .poll(() => behind.lines.filter(([, , message]) => message === 'request'))
      .toHaveLength(found.length + 1)
    const [level, fields] = behind.lines.findLast(([, , message]) => message === 'request') ?? []
    expect(fields).toHaveProperty('ms', expect.any(Number))
    found.push({ level, ...fields, ms: 0 })
  }
  expect(found[0]).toEqual(found[1])
  const route = '/api/v1/engine/:pid/execute/:name'
  const path = route.replace(':pid', team.project).replace(':name', 'fee')
  const fields = { level: 'info', method: 'POST', path, route, status: 403, request_id: 'one', ip: '127.0.0.1' }
  expect(found[0]).toMatchObject(fields)
  const metrics = await (await fetch(`${behind.url}/metrics`)).text()
  expect(metrics).toContain(`engine_platform_http_requests_total{method="POST",route="${route}",status="403"} 2`)
})

test('pipelined decisions are answered in order, behind a long one in chunks too', async () => {
  let next = 0
  answer = (response) => {
    const index = next++
    if (index === 1) response.writeHead(200).end(LONG)
    else setTimeout(() => response.writeHead(200, { 'content-length': 1 }).end(String(index)), 5)
  }
  const found = await exchanged(bytesOf('deciding', {}).repeat(4), 4)
  expect(found.map((text) => text.length < LONG.length && text.at(-1))).toEqual(['0', false, '2', '3'])
  expect(parsed).toBe(0)
})

describe('a long answer', () => {
  test('that breaks off closes the connection', async () => {
    answer = (response) => void response.writeHead(200).write('[1', () => response.destroy())
    const [text] = await exchanged(bytesOf('deciding', {}))
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n2\r\n\[1\r\n$/)
  })

  test('is read from the engine no faster than the caller reads it', async () => {
    let isWritten = false
    const huge = Buffer.alloc(64 * 1024 * 1024)
    answer = (response) => void response.writeHead(200).write(huge, () => (isWritten = true))
    const socket = connect(Number(new URL(platform.url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(bytesOf('deciding', {}))
    await once(socket, 'readable')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isWritten).toBe(false)
    socket.resume()
    await expect.poll(() => isWritten).toBe(true)
  })

  test('ends at the engine when the caller leaves', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    answer = (response) => {
      response.once('close', close)
      response.writeHead(200).write('[')
    }
    const socket = connect(Number(new URL(platform.url).port), '127.0.0.1')
    socket.write(bytesOf('deciding', {}))
    await once(socket, 'data')
    socket.destroy()
    await closed
    expect(parsed).toBe(0)
  })
})
