import { createServer, type Server, type Socket } from 'node:net'
import { type Address, listening } from '@engine/http-server'
import type { Place } from './messages.ts'

/** The addresses of the server, where connections are accepted and not read. */
export interface Listeners {
  /** Begins to accept; the port that was really taken. Rejects with the system's error. */
  listen(place: Place, address: Address): Promise<{ readonly port: number | undefined }>
  /** Stops accepting connections. */
  close(): void
}

/** @param accept what becomes of a connection */
export function createListeners(accept: (connection: Socket, place: Place) => void): Listeners {
  const servers: Server[] = []
  return {
    async listen(place, address) {
      const server = createServer({ pauseOnConnect: true, noDelay: true }, (connection) => {
        connection.on('error', () => connection.destroy())
        accept(connection, place)
      })
      servers.push(server)
      await listening(server, address)
      const taken = server.address()
      return { port: taken === null || typeof taken === 'string' ? undefined : taken.port }
    },
    close() {
      for (const server of servers) server.close()
    },
  }
}
