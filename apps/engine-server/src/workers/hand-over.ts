import type { Socket } from 'node:net'
import type { Link } from './link.ts'
import type { Place } from './messages.ts'

/** Gives connections to workers. */
export interface HandOver {
  /** Gives a connection to the worker that has the fewest; keeps it while there is none. */
  hand(connection: Socket, place: Place): void
  /** Connections that no worker has yet. */
  readonly kept: number
  /** A worker is ready: it gets what was kept. */
  handKept(): void
  /** No worker takes any more. */
  close(): void
}

/** @param ready the workers that take connections */
export function createHandOver(ready: () => Link[]): HandOver {
  let kept: { readonly connection: Socket; readonly place: Place }[] = []
  let isClosed = false
  let turn = 0
  const hand = (connection: Socket, place: Place): void => {
    if (isClosed) return void connection.destroy()
    // Who has not answered yet may be busy, or stuck; of equal ones it is the turn of the one that waits longest.
    const [link] = ready().sort(
      (left, right) =>
        left.unanswered - right.unanswered || left.connections - right.connections || left.turn - right.turn,
    )
    if (link === undefined) return void kept.push({ connection, place })
    link.connections++
    link.turn = ++turn
    void link.ask({ kind: 'connection', place }, connection).then((answer) => {
      // A worker that exited before it confirmed the connection did not read from it.
      if (answer === undefined) hand(connection, place)
      else connection.destroy()
    })
  }
  const handKept = () => {
    const waiting = kept
    kept = []
    for (const { connection, place } of waiting) hand(connection, place)
  }
  return {
    hand,
    get kept() {
      return kept.length
    },
    handKept,
    close() {
      isClosed = true
      handKept()
    },
  }
}
