import type { IncomingMessage } from 'node:http'

/** Bytes of bodies that are received in one turn of the event loop, over all connections. */
const MOST_A_TURN = 1024 * 1024

let received = 0
/** Requests of which no more is received for now; one of them continues in each turn. */
const paused: IncomingMessage[] = []

/**
 * Counts a piece of a body that comes in several, and has the request wait for a later turn when enough came in this one. Node
 * takes up to 2 MiB of each connection at a time: 150 senders held the event loop for half a second.
 */
export function countReceived(request: IncomingMessage, bytes: number): void {
  if (received === 0 && paused.length === 0) setImmediate(nextTurn)
  received += bytes
  if (received < MOST_A_TURN) return
  request.pause()
  paused.push(request)
}

function nextTurn(): void {
  received = 0
  paused.shift()?.resume()
  if (paused.length > 0) setImmediate(nextTurn)
}
