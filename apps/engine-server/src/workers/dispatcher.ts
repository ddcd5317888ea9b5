import type { Socket } from 'node:net'
import type { WorkerHandle } from './worker-handle.ts'
import type { Place } from './messages.ts'

/** Assigns connections to workers. */
export interface Dispatcher {
  /** Assigns a connection to the worker with the fewest connections; queues it while no worker is ready. */
  dispatch(connection: Socket, place: Place): void
  /** Number of queued connections. */
  readonly kept: number
  /** Called when a worker is ready: dispatches the queued connections. */
  dispatchKept(): void
  /** Rejects further connections. */
  close(): void
}

/** @param ready returns the workers that accept connections */
export function createDispatcher(ready: () => WorkerHandle[]): Dispatcher {
  let kept: { readonly connection: Socket; readonly place: Place }[] = []
  let isClosed = false
  let turn = 0
  const dispatch = (connection: Socket, place: Place): void => {
    if (isClosed) return void connection.destroy()
    // Workers that have not answered yet may be busy or stuck, so they come last. Among equals, the one that has waited
    // longest is next.
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
