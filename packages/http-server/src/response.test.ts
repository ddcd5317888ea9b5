import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, frameAnswer, prefersCsv, writeAnswer } from './response.ts'

test.each<[accept: string | undefined, isPreferred: boolean]>([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/csv', true],
  [' TEXT/CSV ', true],
  ['text/csv;q=0.9, application/json', true],
  ['application/json, text/csv', false],
  ['text/csvx', false],
  ['text/*', false],
])('accept `%s` prefers CSV: %s', (accept, isPreferred) => {
  expect(prefersCsv(accept)).toBe(isPreferred)
})

const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
const JSON_TYPE = 'application/json; charset=utf-8'

test.each<[title: string, answer: Answer, headers: object, bytes: number]>([
  ['JSON', { status: 200, body: '{}' }, { 'content-type': JSON_TYPE, 'content-length': 2 }, 2],
  ['text beyond ASCII', { status: 200, body: 'é' }, { 'content-type': JSON_TYPE, 'content-length': 2 }, 2],
  ['an empty body', { status: 200, body: '' }, { 'content-type': JSON_TYPE, 'content-length': 0 }, 0],
  ['no body', { status: 202 }, { 'content-length': 0 }, 0],
  ['no content', { status: 204 }, {}, 0],
  ['not modified', { status: 304, headers: { etag: '"a"' } }, { etag: '"a"' }, 0],
  [
    'another type',
    { status: 200, body: 'a', type: 'text/csv' },
    { 'content-type': 'text/csv', 'content-length': 1 },
    1,
  ],
  [
    'headers of its own, which win',
    { status: 200, body: 'a', headers: { 'cache-control': 'max-age=1' } },
    { 'cache-control': 'max-age=1', 'content-type': JSON_TYPE, 'content-length': 1 },
    1,
  ],
  ['cookies', { status: 204, cookies: ['a=1', 'b=2'] }, { 'set-cookie': ['a=1', 'b=2'] }, 0],
])('the headers of %s', (_title, answer, headers, bytes) => {
  expect(frameAnswer(answer, {}, undefined)).toEqual({
    status: answer.status,
    headers: { ...ALWAYS, ...headers },
    body: answer.body ?? '',
    bytes,
  })
})

test('an error is written as problem details for those who accept them', () => {
  const error = { status: 404, body: '{"error":"no","code":"NOT_FOUND"}', errorCode: 'NOT_FOUND' }
  const accept = 'application/problem+json'
  expect(frameAnswer(error, { accept }, 'r1').headers).toMatchObject({ 'content-type': accept })
  expect(frameAnswer({ ...error, errorCode: undefined }, { accept }, 'r1').headers).toMatchObject({
    'content-type': JSON_TYPE,
  })
})

// Its answer is sent before the body of a request has arrived.
const early = createServer((_request, response) => writeAnswer(response, { status: 404 }, { draining: false }))
beforeAll(async () => {
  early.listen(0, '127.0.0.1')
  await once(early, 'listening')
})
afterAll(() => {
  early.closeAllConnections()
  early.close()
})

test.each([
  ['content-length: 0', 'keep-alive'],
  ['content-length: 1', 'keep-alive'],
  ['content-length: 65536', 'keep-alive'],
  ['content-length: 65537', 'close'],
  ['transfer-encoding: chunked', 'close'],
])('the connection of a request whose body is not read: with %s %s', async (header, connection) => {
  const socket = connect((early.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(/^connection: (.*)\r$/im.exec(head.toString())?.[1]).toBe(connection)
  socket.destroy()
})
