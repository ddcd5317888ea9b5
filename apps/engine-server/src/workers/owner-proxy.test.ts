import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { serveHttp } from '@engine/http-server'
import { failure } from '../http/error-mapping.ts'
import { PEER_HEADER } from '../http/http-requester.ts'
import { createOwnerProxy, endToEnd } from './owner-proxy.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-pass-'))
let count = 0
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function listening(server: Server, place: string | number): Promise<Server> {
  servers.push(server)
  server.listen(place)
  await once(server, 'listening')
  return server
}

/** A worker in front of an owner that answers in this way. */
async function worker(owner: RequestListener, state = { draining: false }): Promise<string> {
  const socketPath = join(directory, `owner-${count++}.sock`)
  await listening(createServer(owner), socketPath)
  const { pass } = createOwnerProxy(socketPath)
  const front = await listening(
    createServer((request, response) => pass(request, response, state)),
    0,
  )
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}

test('a request and its answer pass unchanged', async () => {
  const url = await worker((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method, url: target, headers } = request
      response.writeHead(201, { 'x-own': 'yes', 'content-type': 'text/plain' })
      response.end(`${method} ${target} ${String(headers['x-tenant-id'])} ${body}`)
    })
  })
  const reply = await fetch(`${url}/a%20b?c=d`, { method: 'PUT', headers: { 'x-tenant-id': 'acme' }, body: 'hello' })
  expect([reply.status, reply.headers.get('x-own'), await reply.text()]).toEqual([
    201,
    'yes',
    'PUT /a%20b?c=d acme hello',
  ])
})

test('the owner gets the address of the sender, whatever address and host the sender gives', async () => {
  const url = await worker((request, response) => {
    const { host, [PEER_HEADER]: peer } = request.headersDistinct
    response.end(JSON.stringify({ host, peer }))
  })
  const { port } = new URL(url)
  const reply = await fetch(url, { headers: { [PEER_HEADER]: '10.0.0.1' } })
  expect(await reply.json()).toEqual({ host: [`127.0.0.1:${port}`], peer: [expect.stringMatching(/127\.0\.0\.1$/)] })
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.0\r\n\r\n')
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  await once(socket, 'close')
  expect(answer).toContain('{"host":["localhost"]')
})

test('hop-by-hop headers are dropped, except for those that frame the body', () => {
  const raw = [
    'Host',
    'a',
    'Connection',
    'close, content-length',
    'Content-Length',
    '3',
    'TE',
    'trailers',
    'Expect',
    '100-continue',
  ]
  expect(endToEnd(raw)).toEqual(['Host', 'a', 'Content-Length', '3'])
  expect(endToEnd(['Transfer-Encoding', 'chunked', 'X', 'y'], 'transfer-encoding')).toEqual(['X', 'y'])
})

test('a refusal passes before the body has arrived, and the connection ends', async () => {
  const url = await worker((_request, response) => {
    const body = '{"error":"no"}'
    const headers = { 'content-type': 'application/json', 'www-authenticate': 'Bearer', connection: 'close' }
    response.writeHead(401, { ...headers, 'content-length': body.length })
    response.write(body)
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nbegin')
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  await once(socket, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/)
  expect(answer).toMatch(/^www-authenticate: Bearer\r$/im)
  expect(answer).toMatch(/^connection: close\r$/im)
  expect(answer).toContain('{"error":"no"}')
})

test('the owner decides by the headers whether a sender that waits for `100 Continue` may send its body', async () => {
  const owner: RequestListener = (request, response) => void request.pipe(response)
  const server = createServer().on('checkContinue', (request, response) => {
    if (request.headers['x-user'] === undefined) response.writeHead(401, { 'content-length': 0 }).end()
    else {
      response.writeContinue()
      owner(request, response)
    }
  })
  const socketPath = join(directory, `owner-${count++}.sock`)
  await listening(server, socketPath)
  const { pass } = createOwnerProxy(socketPath)
  const state = { draining: false }
  const ignored = () => undefined
  const front = serveHttp(
    {
      tcp: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      socketPath: undefined,
      maxConnections: 10,
      requestTimeoutMs: 60_000,
      identity: [],
      examplePath: '/',
    },
    {
      state,
      log: {
        debug: ignored,
        info: ignored,
        warn: ignored,
        error: ignored,
        fatal: ignored,
        flush: async () => undefined,
      },
      failure,
      answer: (request, response) => pass(request, response, state),
    },
  )
  const { port = 0 } = await front.listen()
  for (const [user, expected] of [
    ['', /^HTTP\/1\.1 401 /],
    ['x-user: a\r\n', /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[^]*hello/],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST / HTTP/1.1\r\nhost: a\r\n${user}expect: 100-continue\r\nconnection: close\r\ncontent-length: 5\r\n\r\n`,
    )
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
      if (answer.endsWith('100 Continue\r\n\r\n')) socket.write('hello')
    })
    await once(socket, 'close')
    expect(answer).toMatch(expected)
  }
  await front.drain()
  front.close()
})

test('an unreachable owner is a 503', async () => {
  const url = await worker((request) => void request.socket.destroy())
  const reply = await fetch(url)
  expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([503, 'UNAVAILABLE'])
})

test('a sender that disconnects is not waited for', async () => {
  const gone = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const url = await worker((request) => {
    request.on('close', () => gone.resolve())
    asked.resolve()
  })
  const leaving = new AbortController()
  const reply = fetch(url, { signal: leaving.signal })
  await asked.promise
  leaving.abort()
  await expect(reply).rejects.toThrow('aborted')
  await gone.promise
})

test('during the shutdown an answer closes its connection', async () => {
  const url = await worker((_request, response) => void response.end('ok'), { draining: true })
  expect((await fetch(url)).headers.get('connection')).toBe('close')
})
