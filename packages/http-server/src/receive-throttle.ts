import { createTurns } from '@engine/process'
import type { IncomingMessage } from 'node:http'

/** Maximum number of body bytes received per turn of the event loop, over all connections. */
const MAX_BYTES_PER_TURN = 1024 * 1024

let received = 0
/** Separate from the queue of paused work, which would otherwise wait for all bodies ahead of it. */
const laterTurn = createTurns()

/**
 * Counts a piece of a body, and pauses the request until a later turn when the limit of this one is reached. Node reads
 * up to 2 MiB per connection at a time: 150 senders blocked the event loop for half a second.
 */
export function countReceived(request: IncomingMessage, bytes: number): void {
  if (received === 0) setImmediate(() => (received = 0))
  received += bytes
  if (received < MAX_BYTES_PER_TURN) return
  request.pause()
  void laterTurn().then(() => request.resume())
}
