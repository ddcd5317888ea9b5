import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createUnreadBodies, type UnreadBodies } from '../arriving-bytes.ts'
import type { WholeAnswer } from '../plain-answer/plain-answer.ts'
import { type FastLane, openFastLane } from './fast-lane.ts'
import type { PlainService } from './plain-connection.ts'
import type { PlainRequest } from './plain-request.ts'

const KEEP_ALIVE_MS = 5000
const FIRST_BYTE_MS = 2000
const REQUEST_MS = 3000
/** Between two looks of the lane at the time. */
const SWEEP_MS = 125

type Answered = Awaited<ReturnType<PlainService<string>['answer']>>

/** A server whose lane answers `/buy/now` immediately, and `/buy/later` once the test settles it. */
interface Shop {
  readonly server: Server
  readonly lane: FastLane
  /** Requests of `/buy/later` that wait. */
  readonly waiting: { readonly request: PlainRequest; readonly settle: (answer: Answered) => void }[]
  /** Targets in the order in which the lane answered them, with status. */
  readonly ended: string[]
  /** The memory for bodies, and how much of it is left. */
  readonly unread: UnreadBodies & { left: number }
  isDraining: boolean
}

const MEMORY = 1_000_000

async function openShop(): Promise<Shop> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => response.end(`[node:http ${request.method} ${body}]`))
  })
  server.on('clientError', (error: Error & { code?: string }, socket) => socket.end(`[late ${error.code}]`))
  const bodies = createUnreadBodies(MEMORY)
  const unread = {
    left: MEMORY,
    take(bytes: number) {
      if (!bodies.take(bytes)) return false
      this.left -= bytes
      return true
    },
    give(bytes: number) {
      bodies.give(bytes)
      this.left += bytes
    },
  }
  const shop = { waiting: [] as Shop['waiting'], ended: [] as string[], isDraining: false, server, unread }
  const service: PlainService<string> = {
    path: '/buy/',
    ownHeaders: 'x-shop-',
    headers: [],
    operationOf: (target) => target.slice('/buy/'.length),
    limits: { maxBytes: 10_000, unread },
    answer(operation, request) {
      if (operation === 'now') return `[got ${request.body.toString()}]`
      return new Promise((settle) => shop.waiting.push({ request, settle }))
    },
    failure: (error) => ({ status: 503, body: `[failed ${error.code}]` }),
    ended: (request, status) => void shop.ended.push(`${request.body.toString()} ${status}`),
  }
  const lane = openFastLane(server, service, {
    keepAliveMs: KEEP_ALIVE_MS,
    firstByteMs: FIRST_BYTE_MS,
    requestTimeoutMs: REQUEST_MS,
    isDraining: () => shop.isDraining,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(shop, { lane })
}

/** A client that collects the text it receives. */
interface Client {
  readonly socket: Socket
  received(): string
  readonly closed: Promise<void>
}

let shop: Shop
const clients: Client[] = []
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] })
  shop = await openShop()
})
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy()
  shop.lane.close()
  shop.server.close()
  shop.server.closeAllConnections()
  await once(shop.server, 'close')
  vi.useRealTimers()
})

async function client(): Promise<Client> {
  const { port } = shop.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const reached = once(shop.server, 'connection')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  await Promise.all([once(socket, 'connect'), reached])
  const made = { socket, received: () => text, closed }
  clients.push(made)
  return made
}

const post = (operation: string, body: string) =>
  `POST /buy/${operation} HTTP/1.1\r\nhost: a\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
/** Bodies of answers, in their order. */
const bodies = (text: string) => text.match(/\[[^\]]*\]/g) ?? []
const got = (...texts: readonly string[]) => texts.map((text) => `[got ${text}]`)
const eventually = (read: () => unknown, expected: unknown) =>
  vi.waitFor(() => expect(read()).toEqual(expected), { timeout: 5000, interval: 2 })
const pass = (ms: number) => vi.advanceTimersByTime(ms)
/** Until all that was sent has been read. */
const handled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve))
}

describe('requests of one connection are answered in their order', () => {
  test('from one piece', async () => {
    const { socket, received } = await client()
    socket.write(post('now', 'a') + post('now', 'b') + post('now', 'é'))
    await eventually(() => bodies(received()), got('a', 'b', 'é'))
    expect(shop.ended).toEqual(['a 200', 'b 200', 'é 200'])
  })

  test('byte by byte', async () => {
    const { socket, received } = await client()
    for (const byte of Buffer.from(post('now', 'ab') + post('now', 'cd'))) {
      socket.write(Buffer.of(byte))
      await new Promise((resolve) => void setImmediate(resolve))
    }
    await eventually(() => bodies(received()), got('ab', 'cd'))
  })

  test('while one waits for its answer', async () => {
    const { socket, received } = await client()
    socket.write(post('now', 'a') + post('later', 'b') + post('now', 'c'))
    await eventually(() => [bodies(received()), shop.waiting.length], [got('a'), 1])
    socket.write(post('later', 'd'))
    await handled()
    expect([shop.waiting.length, shop.ended]).toEqual([1, ['a 200']])
    shop.waiting[0]?.settle('[got b]')
    await eventually(() => [bodies(received()), shop.waiting.length], [got('a', 'b', 'c'), 2])
    shop.waiting[1]?.settle({ status: 404, body: '[got d]' })
    await eventually(() => bodies(received()), got('a', 'b', 'c', 'd'))
    expect(received()).toContain('HTTP/1.1 404 Not Found')
    expect(shop.ended).toEqual(['a 200', 'b 200', 'c 200', 'd 404'])
  })

  test('more than a turn takes', async () => {
    const { socket, received } = await client()
    const sent = Array.from({ length: 100 }, (_, index) => `n${index}`)
    socket.write(sent.map((body) => post('now', body)).join(''))
    await eventually(() => bodies(received()), got(...sent))
  })

  test('also where the client reads slowly', async () => {
    const { socket, received } = await client()
    socket.pause()
    const body = 'x'.repeat(9000)
    for (let count = 0; count < 2000; count++) socket.write(post('now', body))
    await handled()
    expect(shop.ended.length).toBeLessThan(2000)
    socket.resume()
    await eventually(() => received().match(/HTTP\/1\.1 200/g)?.length, 2000)
  })
})

describe('another request goes to `node:http`', () => {
  test('alone', async () => {
    const { socket, received } = await client()
    socket.write(GET)
    await eventually(() => bodies(received()), ['[node:http GET ]'])
    expect(shop.ended).toEqual([])
  })

  test('after those that the lane has answered, with all that follows', async () => {
    const { socket, received } = await client()
    socket.write(post('now', 'a') + GET + post('now', 'b'))
    await eventually(() => bodies(received()), [...got('a'), '[node:http GET ]', '[node:http POST b]'])
    expect(shop.ended).toEqual(['a 200'])
  })

  test('after one that waits for its answer', async () => {
    const { socket, received } = await client()
    socket.write(post('later', 'a') + GET)
    await eventually(() => shop.waiting.length, 1)
    await handled()
    expect(received()).toBe('')
    shop.waiting[0]?.settle('[got a]')
    await eventually(() => bodies(received()), [...got('a'), '[node:http GET ]'])
  })

  test.each(['head', 'body'])('that stops within its %s, after two looks at the time', async (part) => {
    const { socket, received } = await client()
    const whole = post('now', 'ab')
    const cut = part === 'head' ? 20 : whole.length - 1
    socket.write(post('now', 'z') + whole.slice(0, cut))
    await eventually(() => [bodies(received()), shop.unread.left < MEMORY], [got('z'), true])
    pass(2 * SWEEP_MS)
    expect(shop.unread.left).toBeLessThan(MEMORY)
    pass(SWEEP_MS)
    expect(shop.unread.left).toBe(MEMORY)
    socket.write(whole.slice(cut))
    await eventually(() => bodies(received()), [...got('z'), '[node:http POST ab]'])
  })

  test('where the memory for bodies is in use', async () => {
    const { socket, received } = await client()
    shop.unread.take(MEMORY)
    const whole = post('now', 'ab')
    socket.write(whole.slice(0, -1))
    await handled()
    shop.unread.give(MEMORY)
    socket.write(whole.slice(-1))
    await eventually(() => bodies(received()), ['[node:http POST ab]'])
  })

  test('that is cut off, so that it is refused', async () => {
    const { socket, received, closed } = await client()
    socket.end(post('now', 'a') + post('now', 'ab').slice(0, -1))
    await closed
    expect(bodies(received())).toEqual([...got('a'), '[late HPE_INVALID_EOF_STATE]'])
    expect(shop.unread.left).toBe(MEMORY)
  })
})

describe('a server that ends', () => {
  test('answers the request that it has, and closes the connection', async () => {
    const { socket, received, closed } = await client()
    shop.isDraining = true
    socket.write(post('now', 'a') + post('now', 'b'))
    await closed
    expect(bodies(received())).toEqual(got('a'))
    expect(received()).toContain('connection: close')
    expect(shop.ended).toEqual(['a 200'])
  })

  test('closes the connection after an answer that was awaited', async () => {
    const { socket, received, closed } = await client()
    socket.write(post('later', 'a'))
    await eventually(() => shop.waiting.length, 1)
    shop.isDraining = true
    shop.waiting[0]?.settle('[got a]')
    await closed
    expect([bodies(received()), received().includes('connection: close')]).toEqual([got('a'), true])
  })

  test('closes connections without a request, and keeps one with a request', async () => {
    const [idle, used, busy] = [await client(), await client(), await client()]
    used.socket.write(post('now', 'a'))
    busy.socket.write(post('later', 'b'))
    await eventually(() => [bodies(used.received()), shop.waiting.length], [got('a'), 1])
    shop.lane.closeIdle()
    await Promise.all([idle.closed, used.closed])
    shop.waiting[0]?.settle('[got b]')
    await eventually(() => bodies(busy.received()), got('b'))
    pass(SWEEP_MS)
    await busy.closed
  })

  test('closes all connections at last', async () => {
    const { socket, closed } = await client()
    socket.write(post('later', 'a'))
    await eventually(() => shop.waiting.length, 1)
    shop.lane.close()
    await closed
    await eventually(() => [shop.waiting[0]?.request.aborted, shop.ended], [true, ['a undefined']])
  })
})

describe('time limits', () => {
  test('a connection without a request is late, and then closed', async () => {
    const { received, closed } = await client()
    pass(FIRST_BYTE_MS - SWEEP_MS)
    await handled()
    expect(received()).toBe('')
    pass(2 * SWEEP_MS)
    await closed
    expect(received()).toBe('[late ERR_HTTP_REQUEST_TIMEOUT]')
  })

  test('a connection between requests is closed a second after the announced time', async () => {
    const { socket, received, closed } = await client()
    let isClosed = false
    socket.once('close', () => (isClosed = true))
    socket.write(post('now', 'a'))
    await eventually(() => bodies(received()), got('a'))
    expect(received()).toContain('timeout=5')
    pass(KEEP_ALIVE_MS + 1000 - SWEEP_MS)
    await handled()
    expect(isClosed).toBe(false)
    socket.write(post('now', 'b'))
    await eventually(() => bodies(received()), got('a', 'b'))
    pass(KEEP_ALIVE_MS + 1000 - SWEEP_MS)
    await handled()
    expect(isClosed).toBe(false)
    pass(2 * SWEEP_MS)
    await closed
  })

  test('a request that takes too long is answered with an error and ends, and its late answer is dropped', async () => {
    const { socket, received } = await client()
    socket.write(post('later', 'a') + post('now', 'b'))
    await eventually(() => shop.waiting.length, 1)
    const { request, settle } = shop.waiting[0] ?? { request: undefined, settle: () => {} }
    const aborted = vi.fn<() => void>()
    const removed = vi.fn<() => void>()
    request?.addEventListener('abort', aborted)
    request?.addEventListener('abort', removed)
    request?.removeEventListener('abort', removed)
    pass(REQUEST_MS - SWEEP_MS)
    expect(request?.aborted).toBe(false)
    pass(2 * SWEEP_MS)
    expect([request?.aborted, aborted.mock.calls.length, removed.mock.calls.length]).toEqual([true, 1, 0])
    await eventually(() => bodies(received()), ['[failed timeout]', ...got('b')])
    settle('[got a]')
    const late = new Readable({ read() {} })
    settle({ status: 200, headers: {}, content: late })
    await handled()
    expect(bodies(received())).toEqual(['[failed timeout]', ...got('b')])
    expect(shop.ended).toEqual(['a 503', 'b 200'])
  })

  test('a content that arrives too late is dropped with its stream', async () => {
    const { socket, received } = await client()
    socket.write(post('later', 'a'))
    await eventually(() => shop.waiting.length, 1)
    pass(REQUEST_MS + SWEEP_MS)
    await eventually(() => bodies(received()), ['[failed timeout]'])
    const content = new Readable({ read() {} })
    shop.waiting[0]?.settle({ status: 200, headers: {}, content })
    await eventually(() => content.destroyed, true)
  })

  test('a client that leaves aborts its request', async () => {
    const { socket } = await client()
    socket.write(post('later', 'a'))
    await eventually(() => shop.waiting.length, 1)
    socket.destroy()
    await eventually(() => [shop.waiting[0]?.request.aborted, shop.ended], [true, ['a undefined']])
    shop.waiting[0]?.settle('[got a]')
    await handled()
    expect(shop.ended).toEqual(['a undefined'])
  })
})

describe('an answer of another server', () => {
  const answered = async (answer: WholeAnswer, more = '') => {
    const made = await client()
    made.socket.write(post('later', 'a') + more)
    await eventually(() => shop.waiting.length, 1)
    const request = shop.waiting[0]?.request
    request?.setHeader('x-early', 1)
    request?.setHeader('x-second', 'two')
    shop.waiting[0]?.settle(answer)
    return made
  }
  const stream = (...parts: readonly string[]) => Readable.from(parts.map((part) => Buffer.from(part)))

  test('is written with its headers, and the next request follows', async () => {
    const content = Buffer.from('é', 'utf8')
    const { received } = await answered(
      { status: 201, headers: { 'x-a': 'b', 'content-length': '2' }, content },
      post('now', 'b'),
    )
    await eventually(() => bodies(received()), got('b'))
    expect(received()).toMatch(
      /^HTTP\/1\.1 201 Created\r\nx-early: 1\r\nx-second: two\r\nx-a: b\r\ncontent-length: 2\r\n[^]*\r\n\r\néHTTP/,
    )
    expect(shop.ended).toEqual(['a 201', 'b 200'])
  })

  test('is sent in chunks where its length is unknown', async () => {
    const content = stream('0123456789abcdefghij', 'z')
    const { received } = await answered({ status: 200, headers: {}, content }, post('now', 'b'))
    await eventually(() => bodies(received()), got('b'))
    expect(received()).toContain('Transfer-Encoding: chunked\r\n')
    expect(received()).toContain('\r\n\r\n14\r\n0123456789abcdefghij\r\n1\r\nz\r\n0\r\n\r\nHTTP/1.1 200 OK')
  })

  test('is sent as it is where its length is known', async () => {
    const content = stream('012', '34')
    const { received } = await answered({ status: 200, headers: { 'content-length': '5' }, content }, post('now', 'b'))
    await eventually(() => bodies(received()), got('b'))
    expect(received()).toContain('\r\n\r\n01234HTTP/1.1 200 OK')
    expect(received()).not.toContain('chunked')
  })

  test('has no chunks where it has no content', async () => {
    const { received } = await answered({ status: 204, headers: {}, content: stream() }, post('now', 'b'))
    await eventually(() => bodies(received()), got('b'))
    expect(received()).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
    expect(received()).not.toContain('chunked')
  })

  test('that breaks off closes the connection, so that it does not look complete', async () => {
    const content = new Readable({ read() {} })
    const { received, closed } = await answered({ status: 200, headers: {}, content })
    content.push(Buffer.from('part'))
    await eventually(() => received().endsWith('4\r\npart\r\n'), true)
    content.destroy(new Error('reset'))
    await closed
    expect(received()).not.toContain('0\r\n\r\n')
    await eventually(() => shop.ended, ['a undefined'])
  })

  test('that stops is closed after the time limit of a request, counted from its last part', async () => {
    const content = new Readable({ read() {} })
    const { received, closed } = await answered({ status: 200, headers: {}, content })
    pass(REQUEST_MS - SWEEP_MS)
    content.push(Buffer.from('one'))
    await eventually(() => received().includes('one'), true)
    pass(REQUEST_MS - SWEEP_MS)
    await handled()
    expect(content.destroyed).toBe(false)
    pass(2 * SWEEP_MS)
    await closed
    expect(bodies(received())).toEqual([])
    await eventually(() => content.destroyed, true)
  })

  test('is stopped when the client leaves', async () => {
    const content = new Readable({ read() {} })
    const { socket, received } = await answered({ status: 200, headers: {}, content })
    content.push(Buffer.from('one'))
    await eventually(() => received().includes('one'), true)
    socket.destroy()
    await eventually(() => [content.destroyed, shop.ended], [true, ['a 200']])
  })
})
