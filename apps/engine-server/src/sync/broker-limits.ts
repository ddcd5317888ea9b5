/** Milliseconds in which the broker knows a message again by its id. */
export const DUPLICATES_MS = 10 * 60 * 1000
/** Messages that a reader has in its hands. */
export const IN_HAND = 512
/** Milliseconds after which a message comes again that nobody acknowledged. */
export const ACK_WAIT_MS = 10_000
/** Milliseconds for one request to the broker, and more for every 100 bytes that it carries. */
export const REQUEST_MS = 2000
/** Milliseconds that a request for messages lives: so long a dead instance seems to have its place. */
export const PULL_MS = 5000
