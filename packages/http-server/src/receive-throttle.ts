import { createTurns } from '@engine/process'
import type { IncomingMessage } from 'node:http'

/** Bytes of bodies that are received in one turn of the event loop, over all connections. */
const MAX_BYTES_PER_TURN = 1024 * 1024

let received = 0
/** Apart from paused work, which would wait for all bodies before it. */
const laterTurn = createTurns()

/**
 * Counts a piece of a body that comes in several, and has the request wait for a later turn when enough came in this one. Node
 * takes up to 2 MiB of each connection at a time: 150 senders held the event loop for half a second.
 */
export function countReceived(request: IncomingMessage, bytes: number): void {
  if (received === 0) setImmediate(() => (received = 0))
  received += bytes
  if (received < MAX_BYTES_PER_TURN) return
  request.pause()
  void laterTurn().then(() => request.resume())
}
