import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArrivingBytes, createUnreadBodies, type UnreadBodies } from './arriving-bytes.ts'

/** The shared memory of bodies, with the amount in use. */
function counted(limit: number): UnreadBodies & { taken(): number } {
  const unread = createUnreadBodies(limit)
  let taken = 0
  return {
    take(bytes) {
      const done = unread.take(bytes)
      if (done) taken += bytes
      return done
    },
    give(bytes) {
      taken -= bytes
      unread.give(bytes)
    },
    taken: () => taken,
  }
}

test('pieces of any sizes become the same bytes, whose memory is given back', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 6000 }), { maxLength: 40 })
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 3 }), (bodies) => {
      const unread = counted(1_000_000)
      const arriving = new ArrivingBytes({ maxBytes: 300_000, unread })
      for (const body of bodies) {
        for (const piece of body) expect(arriving.append(Buffer.from(piece))).toBeUndefined()
        const whole = Buffer.concat(body)
        expect(arriving.size).toBe(whole.length)
        // Regardless of the size of the pieces.
        expect(unread.taken()).toBeLessThanOrEqual(Math.max(4096, 2 * whole.length))
        expect(Buffer.compare(arriving.take(), whole)).toBe(0)
        expect(unread.taken()).toBe(0)
      }
    }),
  )
})

test('a million pieces of one byte take two bytes each at most', () => {
  const unread = counted(10_000_000)
  const arriving = new ArrivingBytes({ maxBytes: 10_000_000, unread })
  for (let piece = 0; piece < 1_000_000; piece++) arriving.append(Buffer.from([piece & 255]))
  expect(unread.taken()).toBeLessThanOrEqual(2_100_000)
  expect(arriving.take()[999_999]).toBe(999_999 & 255)
})

test('one more byte than a body may have is too large, and forgets what arrived', () => {
  const unread = counted(1_000_000)
  const arriving = new ArrivingBytes({ maxBytes: 10_000, unread })
  expect(arriving.append(Buffer.alloc(9_999))).toBeUndefined()
  expect(arriving.append(Buffer.alloc(1))).toBeUndefined()
  expect(arriving.append(Buffer.alloc(1))).toBe('too-large')
  expect([arriving.size, unread.taken()]).toEqual([0, 0])
})

test('memory taken by another body is unavailable until that is done', () => {
  const unread = counted(20_000)
  const [one, other] = [0, 0].map(() => new ArrivingBytes({ maxBytes: 15_000, unread })) as [
    ArrivingBytes,
    ArrivingBytes,
  ]
  expect(one.append(Buffer.alloc(12_000))).toBeUndefined()
  expect(other.append(Buffer.alloc(12_000))).toBe('too-many')
  one.release()
  one.release()
  expect(unread.taken()).toBe(0)
  expect(other.append(Buffer.alloc(12_000))).toBeUndefined()
})

test('memory is given out up to its last byte, and again when it is given back', () => {
  const unread = createUnreadBodies(100)
  expect([unread.take(60), unread.take(41), unread.take(40), unread.take(1)]).toEqual([true, false, true, false])
  unread.give(60)
  expect([unread.take(61), unread.take(60)]).toEqual([false, true])
})

test('no more memory is reserved than a body may have', () => {
  const unread = counted(100_000)
  const arriving = new ArrivingBytes({ maxBytes: 9000, unread })
  const reserved = [1, 4999, 1, 3999].map((bytes) => {
    expect(arriving.append(Buffer.alloc(bytes))).toBeUndefined()
    return unread.taken()
  })
  expect(reserved).toEqual([4096, 8192, 8192, 9000])
})
