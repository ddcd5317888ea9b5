import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

const LIMIT_MS = 1000
/** The clock is read so often: a request may live so much longer. */
const TICK_MS = 250

let deadlines: Deadlines
let expired: string[]
beforeEach(() => {
  vi.useFakeTimers()
  expired = []
  deadlines = new Deadlines(LIMIT_MS, (response) => void expired.push((response as unknown as { name: string }).name))
})
afterEach(() => {
  deadlines.close()
  vi.useRealTimers()
})

const response = (name: string, more: object = {}) =>
  ({ name, destroyed: false, writableFinished: false, ...more }) as unknown as ServerResponse

describe('a request', () => {
  test('expires when its time has passed, at the next look at the clock', () => {
    deadlines.begin(response('a'))
    vi.advanceTimersByTime(LIMIT_MS - 1)
    expect(expired).toEqual([])
    vi.advanceTimersByTime(TICK_MS)
    expect(expired).toEqual(['a'])
    vi.advanceTimersByTime(10 * LIMIT_MS)
    expect(expired).toEqual(['a'])
  })

  test('that makes progress has its whole time again', () => {
    const deadline = deadlines.begin(response('a'))
    for (let count = 0; count < 10; count++) {
      vi.advanceTimersByTime(LIMIT_MS - TICK_MS)
      deadline.renew()
      expect(expired).toEqual([])
    }
    vi.advanceTimersByTime(LIMIT_MS + TICK_MS)
    expect(expired).toEqual(['a'])
  })

  test('that has ended does not expire, and makes no progress', () => {
    const deadline = deadlines.begin(response('a'))
    deadline.end()
    deadline.renew()
    deadline.end()
    vi.advanceTimersByTime(10 * LIMIT_MS)
    expect(expired).toEqual([])
  })

  test.each([
    ['whose connection is gone', { destroyed: true }],
    ['whose response is written', { writableFinished: true }],
  ])('%s expires in silence', (_, more) => {
    deadlines.begin(response('a', more))
    vi.advanceTimersByTime(10 * LIMIT_MS)
    expect(expired).toEqual([])
  })
})

test('requests expire in the order of their progress', () => {
  const [first] = [deadlines.begin(response('a')), deadlines.begin(response('b'))]
  vi.advanceTimersByTime(TICK_MS)
  const third = deadlines.begin(response('c'))
  const fourth = deadlines.begin(response('d'))
  vi.advanceTimersByTime(TICK_MS)
  first?.renew()
  third.end()
  vi.advanceTimersByTime(2 * TICK_MS)
  expect(expired).toEqual(['b'])
  vi.advanceTimersByTime(TICK_MS)
  expect(expired).toEqual(['b', 'd'])
  fourth.renew()
  vi.advanceTimersByTime(10 * LIMIT_MS)
  expect(expired).toEqual(['b', 'd', 'a'])
})
