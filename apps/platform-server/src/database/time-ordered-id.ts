import { randomBytes } from 'node:crypto'

/** `rand_a` of RFC 9562 has 12 bits. Each millisecond starts in the lower half, so that at least 2,048 ids fit into it. */
const MAX_COUNTER = 0xfff
const MAX_FIRST_COUNTER = 0x7ff

/**
 * Create UUIDs of version 7 that sort in the order in which this process made them, also within one millisecond and after
 * the clock was set back. `randomUUIDv7` of Node orders by millisecond only. Source: RFC 9562, section 6.2, method 1.
 *
 * @internal Exported for its test.
 */
export function createTimeOrderedIds(now: () => number = Date.now): () => string {
  let milliseconds = 0
  let counter = 0
  return () => {
    const random = randomBytes(10)
    const current = now()
    if (current > milliseconds) {
      milliseconds = current
      counter = random.readUInt16BE(0) & MAX_FIRST_COUNTER
    } else if (counter < MAX_COUNTER) {
      counter += 1
    } else {
      milliseconds += 1
      counter = 0
    }
    const time = milliseconds.toString(16).padStart(12, '0')
    const variant = ((random[2] ?? 0) & 0x3f) | 0x80
    const tail = variant.toString(16) + random.toString('hex', 3, 10)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }
}

/** Ids of records that are listed by id, such as audit entries. */
export const timeOrderedId = createTimeOrderedIds()
