import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createOpenConnections } from './open-connections.ts'

/** Connections accepted by another process, for servers that do not listen themselves. */
export interface AdoptedConnections {
  take(server: Server, connection: Socket): void
  readonly size: number
  /** Resolves when all are closed. */
  gone(): Promise<void>
}

/** @param servers the servers that handle the connections */
export function createAdoptedConnections(servers: readonly Server[]): AdoptedConnections {
  const open = createOpenConnections()
  // Node starts the timers for idle and slow connections on this event, which a server that never listens does not
  // emit.
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
