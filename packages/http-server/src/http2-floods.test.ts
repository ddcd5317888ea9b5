import { EventEmitter } from 'node:events'
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FloodGuard } from './http2-floods.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A guarded connection, and the reason for which it was closed. */
function guarded() {
  const closed: string[] = []
  let destroyed = 0
  const session = Object.assign(new EventEmitter(), {
    goaway: (code: number, _last: undefined, reason: Buffer) => {
      expect(code).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      closed.push(reason.toString())
    },
    destroy: () => void destroyed++,
  })
  const guard = new FloodGuard(session as unknown as ServerHttp2Session)
  const open = (isAnswered = false) => {
    const passed: (Buffer | null)[] = []
    const stream = { writableEnded: isAnswered, push: (piece: Buffer | null) => passed.push(piece) > 0 }
    guard.opened(stream as unknown as ServerHttp2Stream)
    return { passed, push: (piece: Buffer | null) => stream.push(piece) }
  }
  return { session, open, closed, destroyed: () => destroyed }
}

/** A message with its prefix. */
function message(content: number): Buffer {
  const bytes = Buffer.alloc(5 + content)
  bytes.writeUInt32BE(content, 1)
  return bytes
}

describe('pings and settings', () => {
  test.each(['ping', 'remoteSettings'])('%s close a connection after two thousand', (frame) => {
    const { session, closed, destroyed } = guarded()
    for (let count = 0; count < 2000; count++) session.emit(frame)
    expect(closed).toEqual([])
    session.emit(frame)
    expect([closed, destroyed()]).toEqual([['too_many_pings'], 1])
  })

  test('are counted together, and anew with each request', () => {
    const { session, open, closed } = guarded()
    for (let count = 0; count < 1000; count++) session.emit('ping')
    for (let count = 0; count < 1000; count++) session.emit('remoteSettings')
    open()
    for (let count = 0; count < 2000; count++) session.emit('ping')
    expect(closed).toEqual([])
    session.emit('remoteSettings')
    expect(closed).toEqual(['too_many_pings'])
  })
})

describe('pieces of a body', () => {
  /** Pieces until the connection is closed; up to 3000. */
  function until(piece: () => Buffer, isAnswered = false): number {
    const { open, closed } = guarded()
    const { push, passed } = open(isAnswered)
    let count = 0
    while (closed.length === 0 && count < 3000) {
      push(piece())
      count++
    }
    expect([passed.length, closed]).toEqual([count, count === 3000 ? [] : ['too_many_fragments']])
    return count
  }

  test.each<[title: string, piece: () => Buffer, isAnswered: boolean, count: number]>([
    ['of one byte close it after two thousand', () => Buffer.alloc(1), false, 2001],
    ['of a kilobyte never do', () => Buffer.alloc(1024), false, 3000],
    ['of a little less do', () => Buffer.alloc(1023, 1), false, 2001],
    ['that are whole messages never do', () => message(10), false, 3000],
    ['that are messages without content do', () => message(0), false, 2001],
    ['for a request that is answered do, also as whole messages', () => message(10), true, 2001],
    ['for a request that is answered do not where they are large', () => message(1024), true, 3000],
  ])('%s', (_title, piece, isAnswered, count) => {
    expect(until(piece, isAnswered)).toBe(count)
  })

  test('that end a message begun before are none', () => {
    const { open, closed } = guarded()
    const { push } = open()
    // Each second piece ends a message: 1,900 others are within the burst.
    for (let count = 0; count < 1900; count++) {
      const whole = message(20)
      push(whole.subarray(0, 12))
      push(whole.subarray(12))
    }
    expect(closed).toEqual([])
  })

  test('that begin the next message after one that ends are none', () => {
    const { open, closed } = guarded()
    const { push } = open()
    const [one, other] = [message(20), message(70_000)]
    for (let count = 0; count < 3000; count++) {
      push(Buffer.concat([one, other.subarray(0, 7)]))
      for (let at = 7; at < other.length; at += 65_000) push(other.subarray(at, at + 65_000))
    }
    expect(closed).toEqual([])
  })

  test('are passed on with the end of the body', () => {
    const { open } = guarded()
    const { push, passed } = open()
    const piece = Buffer.from('x')
    expect([push(piece), push(null)]).toEqual([true, true])
    expect(passed).toEqual([piece, null])
  })

  test('of all requests of a connection are counted together', () => {
    const { open, closed } = guarded()
    for (let count = 0; count < 2001; count++) open().push(Buffer.alloc(1))
    expect(closed).toEqual(['too_many_fragments'])
  })
})
