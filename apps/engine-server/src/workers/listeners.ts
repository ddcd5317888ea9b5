import { createServer, type Server, type Socket } from 'node:net'
import { type Address, listening } from '@engine/http-server'
import type { Place } from './messages.ts'

/** The addresses of the server, which accept connections but do not read them. */
export interface Listeners {
  /** Starts accepting; resolves to the actual port. Rejects with the system's error. */
  listen(place: Place, address: Address): Promise<{ readonly port: number | undefined }>
  /** Stops accepting connections. */
  close(): void
}

/** @param accept handles an accepted connection */
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
