/** Milliseconds in which the broker knows a message again by its id. */
export const DUPLICATES_MS = 10 * 60 * 1000
/** Messages that a reader has in its hands, and bytes that they may have together. */
const IN_HAND = 512
const IN_HAND_BYTES = 256 * 1024 * 1024
/** Messages that a reader has in its hands where a few of them could be larger than that together. */
const MIN_IN_HAND = 8
/** Milliseconds after which a message that was not acknowledged comes again. */
export const ACK_WAIT_MS = 10_000
/** Milliseconds for one request to the broker, and more for every 100 bytes that it carries. */
export const REQUEST_MS = 2000
/** Milliseconds that a request for messages lives: so long a dead instance seems to have its place. */
export const PULL_MS = 5000

/**
 * Messages that the broker gives a reader before it acknowledges the first one. They stay in memory until applied, so
 * there are fewer when each may be large.
 *
 * @param maxPayload bytes of the largest message
 */
export function inHand(maxPayload: number): number {
  return Math.min(IN_HAND, Math.max(MIN_IN_HAND, Math.floor(IN_HAND_BYTES / maxPayload)))
}
