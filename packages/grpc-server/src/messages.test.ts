import { gzipSync } from 'node:zlib'
import { createUnreadBodies } from '@engine/http-server'
import { describe, expect, test } from 'vitest'
import { Messages } from './messages.ts'

const PREFIX_BYTES = 5
const MAX_BYTES = 5000

/** A call, and the bytes in use of the memory that all calls share. */
function call(isZipped = false, memory = 1_000_000) {
  const shared = createUnreadBodies(memory)
  let used = 0
  const unread = {
    take: (bytes: number) => {
      const taken = shared.take(bytes)
      if (taken) used += bytes
      return taken
    },
    give: (bytes: number) => {
      used -= bytes
      shared.give(bytes)
    },
  }
  return { messages: new Messages({ maxBytes: MAX_BYTES, unread }, isZipped), used: () => used }
}

function message(content: Uint8Array | string, flag = 0): Buffer {
  const bytes = Buffer.from(content)
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix[0] = flag
  prefix.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([prefix, bytes])
}

const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('messages', () => {
  test('are complete with their last byte, however their bytes arrive', () => {
    const sent = Buffer.concat(['', 'a', 'bcd'].map((content) => message(content)))
    for (let size = 1; size <= sent.length; size++) {
      const { messages, used } = call()
      const found: string[] = []
      for (let at = 0; at < sent.length; at += size)
        for (const one of messages.completedBy(sent.subarray(at, at + size)))
          found.push(one.subarray(PREFIX_BYTES).toString())
      expect([size, found, messages.hasPart]).toEqual([size, ['', 'a', 'bcd'], false])
      messages.release()
      expect(used()).toBe(0)
    }
  })

  test.each([
    [0, false],
    [1, true],
    [PREFIX_BYTES, true],
    [PREFIX_BYTES + 2, true],
    [PREFIX_BYTES + 3, false],
  ])('of which %i bytes have arrived are cut off: %s', (size, hasPart) => {
    const { messages } = call()
    void [...messages.completedBy(message('abc').subarray(0, size))]
    expect(messages.hasPart).toBe(hasPart)
  })

  test.each([
    [MAX_BYTES - PREFIX_BYTES, undefined],
    [MAX_BYTES - PREFIX_BYTES + 1, 'received message larger than max (5001 vs 5000 bytes)'],
    [2 ** 32 - 1, 'received message larger than max (4294967300 vs 5000 bytes)'],
  ])('that announce %i bytes: %s', (length, refusal) => {
    const { messages, used } = call()
    const prefix = message('').fill(0)
    prefix.writeUInt32BE(length, 1)
    const error = thrownBy(() => [...messages.completedBy(prefix)])
    expect(error).toEqual(
      refusal === undefined ? undefined : expect.objectContaining({ status: 'RESOURCE_EXHAUSTED', message: refusal }),
    )
    // No memory is reserved for bytes that have not arrived.
    expect(used()).toBeLessThan(MAX_BYTES)
  })

  test('wait for memory that others do not use', () => {
    const { messages } = call(false, 1)
    expect(thrownBy(() => [...messages.completedBy(message('abc').subarray(0, 6))])).toMatchObject({
      code: 'overloaded',
    })
  })
})

describe('a compressed message', () => {
  const zipped = (size: number) => message(gzipSync(Buffer.alloc(size, 'a')), 1)

  test('may have as many bytes as one that is not', async () => {
    expect(await call(true).messages.contentOf(zipped(MAX_BYTES))).toEqual(Buffer.alloc(MAX_BYTES, 'a'))
  })

  test.each<[title: string, isZipped: boolean, bytes: Buffer, status: string, text: string]>([
    ['with one byte more', true, zipped(MAX_BYTES + 1), 'RESOURCE_EXHAUSTED', 'decompressed vs 5000'],
    ['of a megabyte in a kilobyte', true, zipped(2 ** 20), 'RESOURCE_EXHAUSTED', 'decompressed vs 5000'],
    ['that is none', true, message('abc', 1), 'INTERNAL', 'cannot be decompressed'],
    ['of a call that did not announce it', false, zipped(9), 'INTERNAL', 'without `grpc-encoding`'],
  ])('%s is refused', async (_title, isZipped, bytes, status, text) => {
    const content = async () => call(isZipped).messages.contentOf(bytes)
    await expect(content()).rejects.toMatchObject({ status, message: expect.stringContaining(text) })
  })
})

test.each([
  [false, 5000, 0],
  [true, 1023, 0],
  [true, 1024, 1],
])('in a call with compression (%s), an answer of %i bytes has the flag %i', async (isZipped, size, flag) => {
  const { messages } = call(isZipped)
  const frame = await messages.framed(Buffer.alloc(size, 'a'))
  expect([frame[0], frame.readUInt32BE(1)]).toEqual([flag, frame.length - PREFIX_BYTES])
  if (flag === 1) expect(await messages.contentOf(frame)).toEqual(Buffer.alloc(size, 'a'))
  else expect(frame.length).toBe(PREFIX_BYTES + size)
})
