import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LocalWakes } from '../database/notifications.ts'
import { failures, PlatformError } from '../errors.ts'
import { createEventStreams, type EventSource, lastEventId, type StreamTimes } from './event-stream.ts'
import { createStreams } from './streams.ts'

const ANN = { kind: 'user', id: 'ann' } as const
/** Nothing but wakes; a test that waits for a ping or a look shortens it. */
const SLOW: StreamTimes = { ping: 60_000, look: 60_000, retry: 7 }

interface Setting {
  readonly times?: Partial<StreamTimes>
  readonly admit?: () => Promise<void>
  readonly most?: number
}

/** A server that answers each request by the source. */
async function serve(source: EventSource, { times, admit = async () => {}, most = 10 }: Setting = {}) {
  const wakes = new LocalWakes()
  const closing = new AbortController()
  const streams = createStreams(most)
  const answer = createEventStreams({ streams, wakes, closing: closing.signal, times: { ...SLOW, ...times } })
  const failed: unknown[] = []
  const server = createServer((raw, response) => {
    answer({ raw, response, caller: ANN, progress() {}, admit }, source).catch((error: unknown) => {
      failed.push(error)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, wakes, closing, streams, failed }
}

/** The data read by a client so far. */
async function connect(url: string) {
  const request = get(url)
  request.on('error', () => {})
  onTestFinished(() => void request.destroy())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const read = { text: '', hasEnded: false, headers: response.headers, destroy: () => request.destroy() }
  response.on('data', (bytes: Buffer) => (read.text += bytes.toString()))
  response.on('error', () => {})
  response.on('end', () => (read.hasEnded = true))
  return read
}

/** A source of the items added to the list. */
function listed() {
  const list: { id: number; type: string; data: unknown }[] = []
  let told = 0
  const source: EventSource = {
    topics: ['list'],
    async next() {
      const events = list.slice(told)
      told = list.length
      return { events, isLast: events.at(-1)?.type === 'last' }
    },
  }
  return { list, source }
}

test('events are sent as they occur, with their ids, and the last one ends the stream', async () => {
  const { list, source } = listed()
  list.push({ id: 1, type: 'first', data: { text: 'a\nb' } })
  const { url, wakes, streams } = await serve(source)
  const read = await connect(url)
  await expect.poll(() => read.text).toBe('retry: 7\n\nid: 1\nevent: first\ndata: {"text":"a\\nb"}\n\n')
  expect(read.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  })
  list.push({ id: 2, type: 'second', data: null }, { id: 3, type: 'last', data: [] })
  wakes.committed(['list'])
  await expect.poll(() => read.hasEnded).toBe(true)
  expect(read.text).toContain('id: 2\nevent: second\ndata: null\n\nid: 3\nevent: last\ndata: []\n\n')
  expect(streams.open).toBe(0)
})

test('a poll makes up for a lost wake-up', async () => {
  const { list, source } = listed()
  const { url } = await serve(source, { times: { look: 1 } })
  const read = await connect(url)
  list.push({ id: 1, type: 'silent', data: 0 })
  await expect.poll(() => read.text).toContain('event: silent')
})

test('an idle stream sends signs of life', async () => {
  const { url } = await serve(listed().source, { times: { ping: 1 } })
  const read = await connect(url)
  await expect.poll(() => read.text).toMatch(/^retry: 7\n\n(?:: ping\n\n){3}/)
})

test('a caller who loses access to the events is disconnected', async () => {
  let isAllowed = true
  const admit = async () => {
    if (!isAllowed) throw failures.unauthorized()
  }
  const { url, failed } = await serve(listed().source, { times: { ping: 1 }, admit })
  const read = await connect(url)
  await expect.poll(() => read.text).toContain(': ping')
  isAllowed = false
  await expect.poll(() => read.hasEnded).toBe(true)
  expect(failed).toEqual([])
})

test('the stream is silent while the database is unavailable, and resumes afterwards', async () => {
  const { list, source } = listed()
  let [isAway, asked] = [false, 0]
  const next: EventSource['next'] = () => {
    asked++
    return isAway ? Promise.reject(new PlatformError('unavailable', 'away')) : source.next()
  }
  const { url } = await serve({ ...source, next }, { times: { look: 1 } })
  const read = await connect(url)
  isAway = true
  list.push({ id: 1, type: 'late', data: 0 })
  const before = asked
  await expect.poll(() => asked).toBeGreaterThan(before + 1)
  expect(read.text).not.toContain('late')
  isAway = false
  await expect.poll(() => read.text).toContain('event: late')
})

test('a failure before the answer is thrown to the route, and a later defect cuts the connection', async () => {
  const early = await serve({ topics: [], next: () => Promise.reject(failures.notFound('draft', 'x')) })
  await fetch(early.url).catch(() => {})
  await expect.poll(() => early.failed).toEqual([expect.objectContaining({ code: 'not-found' })])
  let calls = 0
  const next: EventSource['next'] = async () => {
    if (calls++ > 0) throw new Error('a defect')
    return { events: [] }
  }
  const late = await serve({ topics: ['list'], next })
  const read = await connect(late.url)
  late.wakes.committed(['list'])
  await expect.poll(() => late.failed).toHaveLength(1)
  expect(read.hasEnded).toBe(false)
  await expect.poll(() => late.streams.open).toBe(0)
})

test('streams end with the shutdown, and their listeners with their clients', async () => {
  const { list, source } = listed()
  const { url, wakes, closing, streams } = await serve(source)
  const [gone, held] = [await connect(url), await connect(url)]
  await expect.poll(() => streams.open).toBe(2)
  gone.destroy()
  await expect.poll(() => streams.open).toBe(1)
  list.push({ id: 1, type: 'one', data: 0 })
  wakes.committed(['list'])
  await expect.poll(() => held.text).toContain('event: one')
  closing.abort()
  await expect.poll(() => held.hasEnded).toBe(true)
  expect(streams.open).toBe(0)
})

test('the streams of a caller are limited', async () => {
  const { url, failed } = await serve(listed().source, { most: 1 })
  await connect(url)
  await fetch(url).catch(() => {})
  expect(failed).toEqual([expect.objectContaining({ code: 'too-many-requests' })])
})

test('HEAD has the headers alone', async () => {
  const { list, source } = listed()
  list.push({ id: 1, type: 'one', data: 0 })
  const { url, streams } = await serve(source)
  const { status, headers } = await fetch(url, { method: 'HEAD' })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  await expect.poll(() => streams.open).toBe(0)
})

test('the reader sets the pace', async () => {
  const piece = 'x'.repeat(1024 * 1024)
  let asked = 0
  const next: EventSource['next'] = async () => {
    asked++
    return { events: [{ id: asked, type: 'large', data: piece }], isLast: asked === 200 }
  }
  const { url, streams } = await serve({ topics: [], next })
  const request = get(url)
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // The connection's buffers take some; then no more is requested until they are read.
  let last = 0
  await expect.poll(() => last === (last = asked), { interval: 100 }).toBe(true)
  expect(asked).toBeLessThan(100)
  response.resume()
  await once(response, 'end')
  expect([asked, streams.open]).toEqual([200, 0])
})

test('a client resumes after its last event', () => {
  const query = new URLSearchParams('last_event_id=4')
  expect(lastEventId({ headers: { 'last-event-id': '7' } }, query)).toBe('7')
  expect(lastEventId({ headers: {} }, query)).toBe('4')
  expect(lastEventId({ headers: {} }, new URLSearchParams())).toBeUndefined()
})
