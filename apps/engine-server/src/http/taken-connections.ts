import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createOpenConnections } from '../open-connections.ts'

/** Connections that somebody else accepts for servers that do not listen themselves. */
export interface TakenConnections {
  take(server: Server, connection: Socket): void
  readonly size: number
  /** Resolves when all are gone. */
  gone(): Promise<void>
}

/** @param servers those that connections will be given to */
export function createTakenConnections(servers: readonly Server[]): TakenConnections {
  const open = createOpenConnections()
  // Node looks after the limits of idle and slow connections from this event on, and nobody will listen here.
  for (const server of servers) server.emit('listening')
  return {
    take(server, connection) {
      open.add(connection)
      server.emit('connection', connection)
    },
    get size() {
      return open.size
    },
    gone: () => open.gone(),
  }
}
