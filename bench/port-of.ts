import type { Server } from 'node:net'

/** The port on which a server listens. Throws an `Error` for one that does not listen on a port. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}
