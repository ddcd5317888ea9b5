import type { Duplex } from 'node:stream'

/** Connections accepted by another process, which the serving server does not count. */
export interface OpenConnections {
  add(connection: Duplex): void
  readonly size: number
  /** Resolves when all are closed. */
  gone(): Promise<void>
}

export function createOpenConnections(): OpenConnections {
  const open = new Set<Duplex>()
  let allGone = Promise.withResolvers<void>()
  allGone.resolve()
  return {
    add(connection) {
      if (open.size === 0) allGone = Promise.withResolvers()
      open.add(connection)
      connection.once('close', () => {
        open.delete(connection)
        if (open.size === 0) allGone.resolve()
      })
    },
    get size() {
      return open.size
    },
    gone: () => allGone.promise,
  }
}
