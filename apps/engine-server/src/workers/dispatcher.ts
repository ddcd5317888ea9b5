import type { Socket } from 'node:net'
import type { WorkerHandle } from './worker-handle.ts'
import type { Place } from './messages.ts'

/** Gives connections to workers. */
export interface Dispatcher {
  /** Gives a connection to the worker that has the fewest; keeps it while there is none. */
  dispatch(connection: Socket, place: Place): void
  /** Connections that no worker has yet. */
  readonly kept: number
  /** A worker is ready: dispatch the queued connections. */
  dispatchKept(): void
  /** Rejects further connections. */
  close(): void
}

/** @param ready the workers that take connections */
export function createDispatcher(ready: () => WorkerHandle[]): Dispatcher {
  let kept: { readonly connection: Socket; readonly place: Place }[] = []
  let isClosed = false
  let turn = 0
  const dispatch = (connection: Socket, place: Place): void => {
    if (isClosed) return void connection.destroy()
    // Who has not answered yet may be busy, or stuck; of equal ones it is the turn of the one that waits longest.
    const [worker] = ready().sort(
      (left, right) =>
        left.unanswered - right.unanswered || left.connections - right.connections || left.turn - right.turn,
    )
    if (worker === undefined) return void kept.push({ connection, place })
    worker.connections++
    worker.turn = ++turn
    void worker.ask({ kind: 'connection', place }, connection).then((answer) => {
      // A worker that exited before it confirmed the connection did not read from it.
      if (answer === undefined) dispatch(connection, place)
      else connection.destroy()
    })
  }
  const dispatchKept = () => {
    const waiting = kept
    kept = []
    for (const { connection, place } of waiting) dispatch(connection, place)
  }
  return {
    dispatch,
    get kept() {
      return kept.length
    },
    dispatchKept,
    close() {
      isClosed = true
      dispatchKept()
    },
  }
}
