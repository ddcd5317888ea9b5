import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createOpenConnections } from '../open-connections.ts'

/**
 * Milliseconds in which a quiet connection may ask once more when the end begins: its next request may be on the way, and is
 * then answered with `connection: close`. A connection that was closed under it would be a failed request.
 */
const LAST_WORD_MS = 250

/** Connections that somebody else accepts for servers that do not listen themselves. */
export interface TakenConnections {
  take(server: Server, connection: Socket): void
  /** Whether quiet connections are to be closed when a response is finished. */
  readonly closesIdle: boolean
  /** Closes quiet connections after a moment; resolves when all are gone. */
  drain(): Promise<void>
}

/** @param servers those that connections will be given to */
export function createTakenConnections(servers: readonly Server[]): TakenConnections {
  const open = createOpenConnections()
  let closesIdle = false
  // Node looks after the limits of idle and slow connections from this event on, and nobody will listen here.
  for (const server of servers) server.emit('listening')
  return {
    get closesIdle() {
      return closesIdle
    },
    take(server, connection) {
      open.add(connection)
      server.emit('connection', connection)
    },
    async drain() {
      if (open.size > 0) await delay(LAST_WORD_MS)
      closesIdle = true
      for (const server of servers) server.closeIdleConnections()
      await open.gone()
    },
  }
}
