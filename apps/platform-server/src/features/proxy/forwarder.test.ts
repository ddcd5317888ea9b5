import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { createEngineAddresses } from '../engines/addresses.ts'
import { createEngineConnections } from '../engines/connections.ts'
import { createForwarder, passedBody } from './forwarder.ts'

/** Sends a request to an engine as if it had proved its identity. */
async function asked(origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]) {
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const connections = createEngineConnections(createEngineAddresses(allow, resolve), resolve)
  const forwarder = createForwarder(connections, { require: () => undefined, doubt: () => undefined })
  const engine = { id: 'e', name: 'e', org: 'o' as OrgId, generation: 1, origin, peer, registeredAt: new Date(0) }
  const { signal } = new AbortController()
  try {
    await forwarder.send({
      engine,
      path: '/',
      method: 'GET',
      headers: {},
      body: undefined,
      signal,
      limitMs: undefined,
    })
  } finally {
    await connections.close()
  }
}

test.each([
  'http://169.254.169.254',
  'http://100.100.100.200',
  'http://[fd00:ec2::254]',
  'http://[64:ff9b::a9fe:a9fe]',
  'http://[fe80::1]:8080',
])('an engine that claims to be at %s gets no request, whatever is allowed', async (origin) => {
  await expect(asked(origin, ['0.0.0.0/0', '[::]/0', 'peer'], '169.254.169.254', [])).rejects.toThrow('never called')
})

test.each<[origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]]>([
  ['http://10.0.0.9:8080', ['peer'], '10.0.0.5', []],
  ['http://127.0.0.1:8080', ['peer'], '10.0.0.5', []],
  ['http://[::1]:8080', ['peer'], null, []],
  ['http://8.8.8.8', ['peer'], null, []],
  ['http://10.0.0.5:9090', ['10.0.0.0/8:8080'], null, []],
  ['http://engine:8080', ['peer'], '10.0.0.5', ['10.0.0.9']],
  // one address of several is enough
  ['http://engine:8080', ['peer'], '10.0.0.5', ['10.0.0.5', '10.0.0.9']],
  ['http://engine:8080', ['10.0.0.0/8'], null, ['127.0.0.1']],
  ['http://engine:8080', ['other', '*.engine'], null, ['10.0.0.5']],
])('an engine at %s, where %j is allowed, of the peer %s and at %j, gets no request', async (...row) => {
  await expect(asked(...row)).rejects.toThrow('--engine-allow')
})

test.each<[origin: string, allow: readonly string[], peer: string | null, addresses: readonly string[]]>([
  ['http://127.0.0.1:1', ['peer'], '127.0.0.1', []],
  ['http://127.0.0.1:1', ['peer'], '::1', []],
  ['http://localhost:1', ['peer'], '127.0.0.1', ['127.0.0.1', '::1']],
  ['http://127.0.0.1:1', ['10.0.0.0/8', '127.0.0.0/8:1'], null, []],
  ['http://engine:1', ['engine'], null, ['127.0.0.1']],
  ['http://engine:1', ['peer'], '::ffff:127.0.0.1', ['127.0.0.1']],
])('an engine at %s, where %j is allowed, of the peer %s and at %j, is connected to', async (...row) => {
  await expect(asked(...row)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})

/** A request whose sender sends these parts. */
const requestOf = (headers: Readonly<Record<string, string>>, ...parts: readonly string[]) =>
  Object.assign(Readable.from(parts.map((part) => Buffer.from(part))), { headers }) as unknown as IncomingMessage

const CHUNKED = { 'transfer-encoding': 'chunked' }

describe('a body', () => {
  test.each<[what: string, headers: Readonly<Record<string, string>>, parts: readonly string[], most: number]>([
    ['short', { 'content-length': '4' }, ['ab', 'cd'], 4],
    ['without a length', CHUNKED, ['ab', 'cd'], 4],
    ['long', { 'content-length': '70000' }, ['a'.repeat(70_000)], 70_000],
  ])('that is %s passes whole up to the limit', async (_what, headers, parts, most) => {
    const passed: string[] = []
    const body = await passedBody(requestOf(headers, ...parts), most, (part) => void passed.push(part.toString()))
    const bytes = body?.bytes()
    expect(bytes instanceof Readable ? (await buffer(bytes)).toString() : bytes?.toString()).toBe(parts.join(''))
    expect([passed.join(''), body?.refusal]).toEqual([parts.join(''), undefined])
  })

  test('whose length is above the limit is not read', async () => {
    const request = requestOf({ 'content-length': '5' }, 'abcde')
    await expect(passedBody(request, 4, () => {})).rejects.toMatchObject({ code: 'payload-too-large' })
    expect(request.readableDidRead).toBe(false)
  })

  test('without a length is refused when it exceeds the limit', async () => {
    const body = await passedBody(requestOf(CHUNKED, 'abc', 'de'), 4, () => {})
    await expect(buffer(body?.bytes() as Readable)).rejects.toMatchObject({ code: 'payload-too-large' })
    expect(body?.refusal).toMatchObject({ code: 'payload-too-large' })
  })

  test.each([{}, { 'content-length': '0' }])('is absent with the headers %j', async (headers) => {
    expect(await passedBody(requestOf(headers), 4, () => {})).toBeUndefined()
  })
})

/** A forwarder to an engine that answers so. */
async function engineThat(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resolve = async () => []
  const connections = createEngineConnections(createEngineAddresses(['127.0.0.0/8'], resolve), resolve)
  onTestFinished(() => connections.close())
  const doubted: string[] = []
  const forwarder = createForwarder(connections, { require: () => undefined, doubt: ({ id }) => void doubted.push(id) })
  const engine = { id: 'e', name: 'e', org: 'o' as OrgId, generation: 1, origin, peer: null, registeredAt: new Date(0) }
  const sent = { engine, path: '/', method: 'GET', headers: {}, body: undefined, limitMs: undefined }
  const leaving = new AbortController()
  return { doubted, leaving, send: (more = {}) => forwarder.send({ ...sent, signal: leaving.signal, ...more }) }
}

/** Sends a request to an engine that ends each connection once it has read the headers. */
async function brokenOff(method: string, request: IncomingMessage | undefined, most = 100) {
  const { send, doubted } = await engineThat((_request, response) => void response.destroy())
  const body = request && (await passedBody(request, most, () => {}))
  return { error: await send({ method, body }).catch((found: unknown) => found), doubted }
}

/** More than connections and streams buffer. */
const LONG = 64 * 1024 * 1024

describe('an answer', () => {
  test('that is short is complete', async () => {
    const { send } = await engineThat((_request, response) => {
      response.writeHead(200, { 'content-length': '4' }).write('ab', () => response.end('cd'))
    })
    expect((await send()).body).toEqual(Buffer.from('abcd'))
  })

  test('that is short and breaks off is none', async () => {
    const { send, doubted } = await engineThat((_request, response) => {
      response.writeHead(200, { 'content-length': '4' }).write('ab', () => response.destroy())
    })
    await expect(send({ method: 'POST' })).rejects.toMatchObject({ isUnsent: true })
    expect(doubted).toEqual(['e'])
  })

  test('follows informational ones', async () => {
    const { send } = await engineThat((_request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' })
      response.writeHead(201, { 'content-length': '2' }).end('ok')
    })
    expect(await send()).toMatchObject({ statusCode: 201, body: Buffer.from('ok') })
  })

  test('that is long is read no faster than it is consumed, and to its end', async () => {
    let isWritten = false
    const { send } = await engineThat((_request, response) => {
      response.writeHead(200).write(Buffer.alloc(LONG), () => (isWritten = true))
      response.end('.')
    })
    const { body } = await send()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isWritten).toBe(false)
    expect((await buffer(body as Readable)).length).toBe(LONG + 1)
  })

  test.each(['short', 'long'])('that is %s ends when its caller leaves', async (length) => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    const { send, leaving, doubted } = await engineThat((_request, response) => {
      response.once('close', close)
      response.writeHead(200, length === 'short' ? { 'content-length': '9' } : {}).write('.')
      if (length === 'short') leaving.abort()
    })
    if (length === 'short') await expect(send()).rejects.toMatchObject({ isUnsent: false })
    else {
      const body = (await send()).body as Readable
      leaving.abort()
      await expect(buffer(body)).rejects.toThrow('aborted')
    }
    await closed
    expect(doubted).toEqual([])
  })
})

describe('an engine that breaks off', () => {
  test('may have executed a request with a body: it is not sent again', async () => {
    const { error, doubted } = await brokenOff('POST', requestOf({ 'content-length': '2' }, '{}'))
    expect([error, doubted]).toEqual([expect.objectContaining({ isUnsent: false, isLate: false }), ['e']])
  })

  test('has changed nothing by a request without one', async () => {
    expect((await brokenOff('GET', undefined)).error).toMatchObject({ isUnsent: true })
  })

  test('is not to blame where the body of the caller was refused', async () => {
    const { error, doubted } = await brokenOff('POST', requestOf(CHUNKED, 'abc', 'de'), 4)
    expect([error, doubted]).toEqual([expect.objectContaining({ code: 'payload-too-large' }), []])
  })
})
