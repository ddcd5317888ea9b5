import { shutDown, StartError } from '@engine/process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryLog } from '../../process/src/log.testing.ts'
import { openShop, type Shop } from './bookshop-server.testing.ts'

/** The package serves a program unrelated to the engine: see bookshop-server.testing.ts. */

const { log, lines } = memoryLog()
const json = { 'content-type': 'application/json' }
const LONG_MS = 30_000

/** Sends bytes on a new connection, half-closes it, and returns the response. */
async function sendRaw({ port }: Shop, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end(bytes)
  return text(socket)
}

const bodyOf = (raw: string): unknown => JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))

describe('an open shop', () => {
  let shop: Shop
  let url: string
  beforeAll(async () => {
    shop = await openShop(['--max-unread-body-bytes', '6000'], { SHOP_MAX_REQUEST_BODY_BYTES: '2048' }, log)
    url = `http://127.0.0.1:${shop.port}`
  })
  afterAll(() => shutDown(shop.shutdown, LONG_MS, log))

  test('answers its routes, with numbers as they are', async () => {
    const response = await fetch(`${url}/books/one`)
    expect([response.status, await response.text()]).toEqual([200, '{"id":"one","pages":9007199254740993}'])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const made = await fetch(`${url}/books`, { method: 'POST', headers: json, body: '{"title": "A"}' })
    expect([made.status, await made.json()]).toEqual([201, { is_object: true, book: { title: 'A' } }])
  })

  test.each<[what: string, path: string, init: RequestInit, status: number, body: object]>([
    ['an error of its own', '/books/two', {}, 404, { error: 'there is no book two', code: 'shop.unknown_book' }],
    ['an error with a body of its own', '/books/gone', {}, 409, { sold_out: 'no copy is left' }],
    ['a defect', '/books/broken', {}, 500, { error: 'the shop made a mistake', code: 'shop.internal' }],
    [
      'no route',
      '/magazines',
      {},
      404,
      { error: 'there is no path `/magazines`; ask the bookseller', code: 'shop.no_route' },
    ],
    [
      'another method',
      '/books',
      { method: 'DELETE' },
      405,
      { error: '`/books` answers POST, not `DELETE`', code: 'shop.method' },
    ],
    [
      'a path that is not an URL',
      '/books/%zz',
      {},
      400,
      {
        error: 'the path `/books/%zz` is not a valid URL: check its percent signs and its length',
        code: 'shop.invalid',
      },
    ],
    [
      'a body beyond the limit of the environment',
      '/books',
      { method: 'POST', headers: json, body: `"${'a'.repeat(2048)}"` },
      413,
      { error: 'the request body is larger than 2048 bytes (--max-request-body-bytes)', code: 'shop.too_large' },
    ],
    [
      'another content type',
      '/books',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'A' },
      415,
      {
        error: '`text/plain` is not supported: send JSON with `content-type: application/json`',
        code: 'shop.media_type',
      },
    ],
    [
      'text that is not JSON',
      '/books',
      { method: 'POST', headers: json, body: '{\n"title": }' },
      400,
      expect.objectContaining({ code: 'shop.invalid', details: [expect.objectContaining({ path: '', line: 2 })] }),
    ],
  ])('%s is answered by its table', async (_, path, init, status, body) => {
    const response = await fetch(url + path, init)
    expect([response.status, await response.json()]).toEqual([status, body])
  })

  test('headers of a row and of an error are sent, and the cause of a defect is logged alone', async () => {
    const [gone, method] = await Promise.all([fetch(`${url}/books/gone`), fetch(`${url}/books`)])
    expect([gone.headers.get('x-shop-advice'), method.headers.get('allow')]).toEqual(['wait', 'POST'])
    await (await fetch(`${url}/books/broken`)).text()
    expect(lines).toContainEqual([
      'error',
      { err: expect.objectContaining({ message: 'a secret of the shop' }), url: '/books/broken' },
      'a request failed',
    ])
  })

  test.each<[what: string, bytes: string, status: number, error: string]>([
    ['bytes that are not HTTP', 'HELLO\r\n\r\n', 400, 'this is not a valid HTTP/1.1 request'],
    [
      'its header of identity twice',
      'GET /books/one HTTP/1.1\r\nhost: a\r\nx-shop-account: 1\r\nX-Shop-Account: 2\r\n\r\n',
      400,
      'the header `x-shop-account` must be given once, found 2',
    ],
    ['no host', 'GET /books/one HTTP/1.1\r\n\r\n', 400, 'the header `host` must be given once, found none'],
    [
      'a target that is not a path',
      'GET ftp://a/books/one HTTP/1.1\r\nhost: a\r\n\r\n',
      400,
      'the target `ftp://a/books/one` must be a path such as `/books/one`',
    ],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'this is not a proxy: `CONNECT` is not supported'],
    [
      'an expectation',
      'GET /books/one HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n\r\n',
      417,
      'the expectation `tea` cannot be met: only `100-continue` can',
    ],
  ])('%s: refused in the shape of its errors', async (_, bytes, status, error) => {
    const raw = await sendRaw(shop, bytes)
    expect(raw).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(bodyOf(raw)).toMatchObject({ error, code: expect.stringMatching(/^shop\./) })
  })

  test('a header that identifies callers of other servers may occur twice', async () => {
    const raw = await sendRaw(shop, 'GET /books/one HTTP/1.1\r\nhost: a\r\nx-tenant-id: 1\r\nx-tenant-id: 2\r\n\r\n')
    expect(raw).toMatch(/^HTTP\/1.1 200 /)
  })

  test('bodies that arrive share the memory for them', async () => {
    const head = 'POST /books HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n'
    // There is room for one of them: the second one is rejected.
    const sockets = [connect(shop.port, '127.0.0.1'), connect(shop.port, '127.0.0.1')]
    for (const socket of sockets) socket.write(`${head}"`)
    const [answer] = await Promise.race(sockets.map((socket) => once(socket, 'data')))
    expect(String(answer)).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/)
    expect(String(answer)).toContain('retry-after: 1')
    for (const socket of sockets) socket.destroy()
  })
})

test('a request without an answer in time gets the one of the table', async () => {
  const shop = await openShop(['--request-timeout-secs', '1'], {}, log)
  const response = await fetch(`http://127.0.0.1:${shop.port}/slow`)
  expect([response.status, await response.json()]).toEqual([
    504,
    { error: 'the request was not answered within 1 s (--request-timeout-secs)', code: 'shop.timeout' },
  ])
  shop.release()
  await shutDown(shop.shutdown, LONG_MS, log)
})

test('a shutdown completes the requests under way and refuses new connections', async () => {
  const shop = await openShop([], {}, log)
  const url = `http://127.0.0.1:${shop.port}`
  const slow = fetch(`${url}/slow`)
  await expect.poll(shop.waiting, { timeout: LONG_MS }).toBe(1)
  const done = shutDown(shop.shutdown, LONG_MS, log)
  await expect
    .poll(() => sendRaw(shop, 'GET /books/one HTTP/1.1\r\nhost: a\r\n\r\n').catch(() => 'refused'), {
      timeout: LONG_MS,
    })
    .toBe('refused')
  shop.release()
  const response = await slow
  expect([response.status, response.headers.get('connection'), await response.json()]).toEqual([
    200,
    'close',
    'at last',
  ])
  await done
  expect(lines.filter(([, , message]) => message.includes('a step of the shutdown'))).toEqual([])
})

test('a wrong command line is refused under its own name', async () => {
  await expect(openShop(['--max-connections', '0'], {}, log)).rejects.toThrow(
    'error: option --max-connections: `0` is not a whole number from 1 to 100\nSee `shop --help`.\n',
  )
})

test('an address in use is reported with its option', async () => {
  const shop = await openShop([], {}, log)
  const taken = `127.0.0.1:${shop.port}`
  await expect(openShop(['--http-addr', taken], {}, log)).rejects.toThrow(
    new StartError(`--http-addr: cannot use \`${taken}\`: it is in use`),
  )
  await shutDown(shop.shutdown, LONG_MS, log)
})
