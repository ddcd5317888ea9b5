import { createUnreadBodies } from '@engine/http-server'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Messages } from '../../packages/grpc-server/src/messages.ts'
import { framed } from './frames.testing.ts'

test('messages come out whole wherever they are cut, and all memory is given back', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 9000 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(messages, fc.infiniteStream(fc.integer({ min: 1, max: 6000 })), (sent, sizes) => {
      let taken = 0
      const { take, give } = createUnreadBodies(1_000_000)
      const unread = {
        take: (bytes: number) => ((taken += bytes), take(bytes)),
        give: (bytes: number) => ((taken -= bytes), give(bytes)),
      }
      const arriving = new Messages({ maxBytes: 10_000, unread }, false)
      const found: Buffer[] = []
      const all = Buffer.concat(sent.map((message) => framed(Buffer.from(message))))
      for (let at = 0; at < all.length;) {
        const end = at + (sizes.next().value as number)
        for (const message of arriving.completedBy(all.subarray(at, end))) found.push(Buffer.from(message.subarray(5)))
        at = end
        expect(arriving.hasPart).toBe(Buffer.concat(found).length + 5 * found.length < Math.min(end, all.length))
      }
      expect(found.map((message) => [...message])).toEqual(sent.map((message) => [...message]))
      arriving.release()
      expect(taken).toBe(0)
    }),
  )
})

test('a message of one byte too many is refused by its prefix, and one without memory when it grows', () => {
  const taking = (maxBytes: number) => {
    const messages = new Messages({ maxBytes, unread: createUnreadBodies(5000) }, false)
    return (piece: Buffer) => [...messages.completedBy(piece)]
  }
  const tooMuch = framed(Buffer.alloc(0), 96)
  expect(() => taking(100)(tooMuch)).toThrow('received message larger than max (101 vs 100 bytes)')
  expect(taking(100)(framed(Buffer.alloc(95)))).toMatchObject([{ length: 100 }])
  const take = taking(10_000)
  expect(take(framed(Buffer.alloc(4000), 9000))).toEqual([])
  expect(() => take(Buffer.alloc(3000))).toThrow('too many request bodies are arriving at the same time')
})
