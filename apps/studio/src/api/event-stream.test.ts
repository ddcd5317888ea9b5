import { BASE } from './loaded-client.testing.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listen, type StreamState } from './event-stream.ts'

/** An event source of a browser, whose events a test sends. */
class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static readonly opened: FakeSource[] = []
  readyState = 0
  readonly address: string

  constructor(address: string) {
    super()
    this.address = address
    FakeSource.opened.push(this)
  }

  close() {
    this.readyState = FakeSource.CLOSED
  }

  send(type: string, data: string, lastEventId = '') {
    this.dispatchEvent(new MessageEvent(type, { data, lastEventId }))
  }

  refuse() {
    this.readyState = FakeSource.CLOSED
    this.dispatchEvent(new Event('error'))
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  FakeSource.opened.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function stream() {
  const states: StreamState[] = []
  const taken: unknown[] = []
  const stop = listen('/events', {
    types: ['progress', 'completed'],
    take: (type, data) => {
      taken.push([type, data])
      return type === 'completed'
    },
    tell: (state) => void states.push(state),
  })
  return { states, taken, stop, source: () => FakeSource.opened.at(-1)! }
}

test('events of the named types are taken until the last one', () => {
  const { states, taken, source } = stream()
  source().dispatchEvent(new Event('open'))
  source().send('progress', '{"a":1}', '7')
  source().send('other', '{"a":2}')
  source().send('progress', 'none')
  source().send('completed', 'true')
  expect(taken).toEqual([
    ['progress', { a: 1 }],
    ['completed', true],
  ])
  expect(states).toEqual(['live', 'closed'])
  expect(source().readyState).toBe(FakeSource.CLOSED)
})

test('a refused stream is requested again after its last event, with longer and longer pauses', () => {
  const { states, source } = stream()
  source().send('progress', '1', 'a b')
  source().send('progress', '2')
  const pauses: number[] = []
  for (let count = 0; count < 7; count++) {
    source().refuse()
    const { length } = FakeSource.opened
    let pause = 0
    while (FakeSource.opened.length === length && pause < 100) {
      vi.advanceTimersByTime(1000)
      pause++
    }
    pauses.push(pause)
  }
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60])
  expect(states).toEqual(Array.from({ length: 7 }, () => 'lost'))
  expect(FakeSource.opened.map(({ address }) => address)).toEqual([
    `${BASE}/events`,
    ...Array.from({ length: 7 }, () => `${BASE}/events?last_event_id=a%20b`),
  ])
})

test('a stream that was open begins with the shortest pause', () => {
  const { source } = stream()
  source().refuse()
  vi.advanceTimersByTime(2000)
  source().dispatchEvent(new Event('open'))
  source().refuse()
  vi.advanceTimersByTime(1999)
  expect(FakeSource.opened).toHaveLength(2)
  vi.advanceTimersByTime(1)
  expect(FakeSource.opened).toHaveLength(3)
})

test('a connection that the browser resumes is not requested again', () => {
  const { states, source } = stream()
  source().dispatchEvent(new Event('error'))
  vi.advanceTimersByTime(100_000)
  expect([states, FakeSource.opened.length]).toEqual([['lost'], 1])
})

test('a stopped stream is closed, and not requested again', () => {
  const { source, stop } = stream()
  source().refuse()
  stop()
  vi.advanceTimersByTime(100_000)
  expect([source().readyState, FakeSource.opened.length]).toEqual([FakeSource.CLOSED, 1])
})
