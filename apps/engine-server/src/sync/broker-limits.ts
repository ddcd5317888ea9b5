/** Milliseconds in which the broker detects duplicates by message id. */
export const DUPLICATE_WINDOW_MS = 10 * 60 * 1000
/** Maximum messages delivered to a reader and not acknowledged, and their maximum bytes in total. */
const MAX_ACK_PENDING = 512
const MAX_ACK_PENDING_BYTES = 256 * 1024 * 1024
/** The limit of messages never falls below this, even where their total could exceed the bytes above. */
const MIN_ACK_PENDING = 8
/** Milliseconds after which an unacknowledged message is redelivered. */
export const ACK_WAIT_MS = 10_000
/** Timeout of a request to the broker in milliseconds; one more for every 100 bytes of its payload. */
export const REQUEST_TIMEOUT_MS = 2000
/** Milliseconds after which a pull request expires. Until then, the consumer of a dead instance seems in use. */
export const PULL_EXPIRES_MS = 5000

/**
 * The limit of unacknowledged messages of a reader. They stay in memory until applied, so there are fewer where each may
 * be large.
 *
 * @param maxPayload maximum bytes of a message
 */
export function maxAckPending(maxPayload: number): number {
  return Math.min(MAX_ACK_PENDING, Math.max(MIN_ACK_PENDING, Math.floor(MAX_ACK_PENDING_BYTES / maxPayload)))
}
