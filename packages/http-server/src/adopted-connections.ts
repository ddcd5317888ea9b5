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

/** @param servers those that serve the connections */
export function createAdoptedConnections(servers: readonly Server[]): AdoptedConnections {
  const open = createOpenConnections()
  // At this event, which a server that never listens does not emit, Node starts the timers of idle and slow
  // connections.
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
