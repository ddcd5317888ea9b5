import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUnreadBodies } from '@engine/http-server'
import { ArrivingMessage } from './unread-messages.ts'

/** A message as it is sent. */
function framed(length: number): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, Buffer.alloc(length)])
}

test('however messages are cut, their memory is given back when they are complete', () => {
  const unread = createUnreadBodies(5_000_000)
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }),
      (lengths, cuts) => {
        const message = new ArrivingMessage(unread)
        const bytes = Buffer.concat(lengths.map(framed))
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = at + (cuts[turn % cuts.length] ?? 1)
          expect(message.append(bytes.subarray(at, end))).toBe(true)
          at = end
        }
        // All of it is there again.
        expect(unread.take(5_000_000)).toBe(true)
        unread.give(5_000_000)
      },
    ),
  )
})

test('incomplete messages take memory, each piece a little more than its bytes', () => {
  const unread = createUnreadBodies(10_000)
  const message = new ArrivingMessage(unread)
  expect(message.append(framed(9900).subarray(0, 5005))).toBe(true)
  expect(unread.take(5000)).toBe(false)
  expect(message.append(Buffer.alloc(4800))).toBe(false)
  message.release()
  message.release()
  expect(unread.take(10_000)).toBe(true)
  unread.give(10_000)
  const drops = new ArrivingMessage(unread)
  const kept = Array.from({ length: 100 }, (_, index) =>
    drops.append(index === 0 ? framed(9000).subarray(0, 5) : Buffer.alloc(1)),
  )
  expect(kept.filter(Boolean).length).toBeLessThan(50)
})
