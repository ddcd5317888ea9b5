import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createOpenConnections } from './open-connections.ts'

/** Connections accepted by another process for servers that do not listen themselves. */
export interface AdoptedConnections {
  take(server: Server, connection: Socket): void
  readonly size: number
  /** Resolves when all are gone. */
  gone(): Promise<void>
}

/** @param servers those that connections will be given to */
export function createAdoptedConnections(servers: readonly Server[]): AdoptedConnections {
  const open = createOpenConnections()
  // Node starts the timers of idle and slow connections at this event, which a server that never listens does not emit.
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
