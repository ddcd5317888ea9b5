import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunk, chunkedHead, connectRaw, LAST_CHUNK, sendRaw } from './raw.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const EXECUTE = '/api/v1/execute/adult-check'
const RULESETS = '/api/v1/rulesets'
const LIMIT = 65_536

let directory: string
let server: TestServer
let before: unknown

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'engine-protocol-'))
  server = await startServer('--rules-dir', directory, '--max-request-body-bytes', String(LIMIT))
  await server.post(RULESETS, adultCheck())
  await server.post(RULESETS, adultCheck({ config: { version: '2.0.0' } }))
  before = stored()
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

/** Every file of the rules directory with its content: what would be there after a restart. */
function stored(): readonly (readonly [string, string])[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.health_probe')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, readFileSync(path, 'utf8')])
}

const get = (path: string, headers = 'host: a\r\n', version = '1.1') =>
  `GET ${path} HTTP/${version}\r\n${headers}connection: close\r\n\r\n`
const post = (headers: string, body = '', path = EXECUTE) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: close\r\n${headers}\r\n${body}`
const NOT_HTTP = 'this is not a valid HTTP/1.1 request'

type Row = readonly [what: string, request: string, status: number, code: string, message: string]

const ROWS: readonly Row[] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'BAD_REQUEST', NOT_HTTP],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01', 400, 'BAD_REQUEST', NOT_HTTP],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST', NOT_HTTP],
  ['an unknown version', get('/health', 'host: a\r\n', '9.9'), 400, 'BAD_REQUEST', NOT_HTTP],
  ...['FETCH', 'get', 'GETT', 'X-Y', '!'].map((method): Row => [
    `the unknown method ${method}`,
    `${method} /health HTTP/1.1\r\nhost: a\r\n\r\n`,
    501,
    'NOT_IMPLEMENTED',
    `the method \`${method}\` is not supported`,
  ]),
  ['an unknown method without a version', 'FETCH /health\r\n\r\n', 400, 'BAD_REQUEST', NOT_HTTP],
  ['a space in the path', get('/health now'), 400, 'BAD_REQUEST', NOT_HTTP],
  ['NUL in the path', get('/\0'), 400, 'BAD_REQUEST', NOT_HTTP],
  ['a space in the name of a header', get('/health', 'host: a\r\nbad name: 1\r\n'), 400, 'BAD_REQUEST', NOT_HTTP],
  ['NUL in a header', get('/health', 'host: a\r\nx: \0\r\n'), 400, 'BAD_REQUEST', NOT_HTTP],
  [
    'headers of 20 KB',
    get('/health', `host: a\r\nx: ${'a'.repeat(20_000)}\r\n`),
    431,
    'BAD_REQUEST',
    'larger than 16 KiB',
  ],
  ['a path of 20 KB', get(`/${'a'.repeat(20_000)}`), 431, 'BAD_REQUEST', 'larger than 16 KiB'],
  ['no host', get('/health', ''), 400, 'BAD_REQUEST', '`host` must be given once, found none'],
  ['two hosts', get('/health', 'host: a\r\nHost: b\r\n'), 400, 'BAD_REQUEST', '`host` must be given once, found 2'],
  [
    'a target of another scheme',
    get('ftp://a/health'),
    400,
    'BAD_REQUEST',
    'the target `ftp://a/health` must be a path',
  ],
  ['a target with a password', get('http://b:c@a/x'), 400, 'BAD_REQUEST', 'must be a path'],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED', 'this is not a proxy'],
  [
    'the target `*`',
    'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    404,
    'NOT_FOUND',
    'there is no path `*`',
  ],
  ['a length that is not a number', post('content-length: five\r\n'), 400, 'BAD_REQUEST', NOT_HTTP],
  ['two lengths', post('content-length: 2\r\ncontent-length: 3\r\n', '{}'), 400, 'BAD_REQUEST', NOT_HTTP],
  [
    'a length and chunks',
    post('content-length: 2\r\ntransfer-encoding: chunked\r\n', '{}'),
    400,
    'BAD_REQUEST',
    NOT_HTTP,
  ],
  ['a chunk without a size', post('transfer-encoding: chunked\r\n', 'zz\r\n'), 400, 'BAD_REQUEST', NOT_HTTP],
  [
    'a coding that we do not know',
    post('transfer-encoding: gzip, chunked\r\n', LAST_CHUNK),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'the transfer encoding `gzip, chunked`',
  ],
  [
    'an expectation',
    post('expect: a reply\r\ncontent-length: 2\r\n', '{}'),
    417,
    'BAD_REQUEST',
    'the expectation `a reply` cannot be met',
  ],
  [
    'a length beyond the limit',
    post(`content-length: ${LIMIT + 1}\r\n`),
    413,
    'PAYLOAD_TOO_LARGE',
    'larger than 65536 bytes',
  ],
  [
    'chunks beyond the limit',
    post('transfer-encoding: chunked\r\n', chunk(' '.repeat(40_000)).repeat(2)),
    413,
    'PAYLOAD_TOO_LARGE',
    'larger than 65536 bytes',
  ],
  [
    'a ruleset of chunks beyond the limit',
    post('transfer-encoding: chunked\r\n', chunk(' '.repeat(40_000)).repeat(2), RULESETS),
    413,
    'PAYLOAD_TOO_LARGE',
    'larger than 65536 bytes',
  ],
]

describe('malformed requests', () => {
  test.each(ROWS)('%s', async (_what, request, status, code, message) => {
    const answer = await sendRaw(server, Buffer.from(request, 'latin1'))
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8\r?$/m)
    expect(head).toMatch(/^connection: close\r?$/im)
    const { error, code: found } = JSON.parse(body) as { error: string; code: string }
    expect(found).toBe(code)
    expect(error).toContain(message)
    // Nothing of it reached the disk, and the next request is answered.
    expect(stored()).toEqual(before)
    expect((await server.post(EXECUTE, { input: { age: 20 } })).status).toBe(200)
  })
})

describe('unusual valid requests', () => {
  const ADULT = JSON.stringify({ input: { age: 20 } })

  test.each([
    ['HTTP/1.0 without a host', get('/healthz/live', '', '1.0'), 'alive'],
    ['an upgrade that is not taken', get('/healthz/live', 'host: a\r\nupgrade: websocket\r\n'), 'alive'],
    [
      'a method in a header, which is ignored',
      get('/healthz/live', 'host: a\r\nx-http-method-override: DELETE\r\n'),
      'alive',
    ],
    [
      'a charset',
      `POST ${EXECUTE} HTTP/1.1\r\nhost: a\r\ncontent-type: application/JSON; charset="UTF-8"\r\nconnection: close\r\ncontent-length: ${ADULT.length}\r\n\r\n${ADULT}`,
      'ADULT',
    ],
    [
      'a body in chunks of one byte',
      post('transfer-encoding: chunked\r\n', Array.from(ADULT, chunk).join('') + LAST_CHUNK),
      'ADULT',
    ],
    ['a body of just the limit', post(`content-length: ${LIMIT}\r\n`, ADULT.padEnd(LIMIT)), 'ADULT'],
    ['an escaped name', post(`content-length: ${ADULT.length}\r\n`, ADULT, '/api/v1/execute/adult%2Dcheck'), 'ADULT'],
    ['a query of a probe', get('/healthz/live?x=1&x=2'), 'alive'],
  ])('%s', async (_what, request, expected) => {
    const answer = await sendRaw(server, request)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain(expected)
  })

  test('two requests at once on one connection are answered in order', async () => {
    const connection = await connectRaw(server)
    const one = (age: number) => {
      const body = JSON.stringify({ input: { age } })
      return `POST ${EXECUTE} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    }
    connection.write(one(20) + one(10))
    const text = await connection.reads(/MINOR/)
    expect(text.indexOf('ADULT')).toBeLessThan(text.indexOf('MINOR'))
    connection.socket.destroy()
  })

  test('`expect: 100-continue` is answered with 100', async () => {
    const connection = await connectRaw(server)
    connection.write(post(`expect: 100-continue\r\ncontent-length: ${ADULT.length}\r\n`))
    await connection.reads(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    connection.write(ADULT)
    expect(await connection.ended()).toContain('ADULT')
  })

  test('a refused body is read for a moment, so that its sender sees why', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(EXECUTE) + chunk(' '.repeat(LIMIT + 1)))
    await connection.reads(/"PAYLOAD_TOO_LARGE"/)
    // Still there, and the end of the body ends it.
    connection.write(chunk('more') + LAST_CHUNK)
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 413 /)
  })
})
