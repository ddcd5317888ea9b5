import { createServer, type ServerHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import { type Connection, serveConnection } from './connection.ts'
import type { GrpcServerOptions, Serving } from './options.ts'

/**
 * Streams that a client may reset in a burst, and so many a second more, before its connection ends. It must not be met by
 * calls whose deadlines pass together; each costs the server what a call costs.
 */
const RESETS = { streamResetBurst: 10_000, streamResetRate: 1000 } as const

/** A server of gRPC over the HTTP/2 of Node, for connections that were accepted elsewhere. */
export function createGrpcServer(options: GrpcServerOptions) {
  const methods = new Map(options.methods.map((method) => [`/${method.name}`, method]))
  const serving: Serving = { ...options, methods, isDraining: false, now: performance.now() }
  const connections = new Set<Connection>()
  const begin = (session: ServerHttp2Session) => {
    const connection = serveConnection(session, serving)
    connections.add(connection)
    void connection.gone.then(() => connections.delete(connection))
    if (serving.isDraining) connection.drain()
  }
  const sweep = () => {
    serving.now = performance.now()
    for (const connection of connections) connection.sweep(serving.now)
  }
  const timer = setInterval(sweep, Math.min(250, options.limitMs / 4)).unref()
  const settings = { maxConcurrentStreams: options.maxStreams, maxHeaderListSize: options.maxMetadataBytes }
  const sessions = createServer({ settings, ...RESETS })
  // A connection that fails before it is a session, and one that fails later: neither is an error of the server.
  sessions.on('session', begin).on('sessionError', () => {})
  return {
    /** Serves a connection, over TLS where that has agreed on `h2`. */
    take: (connection: Duplex): void => void sessions.emit('connection', connection),
    /** New calls are refused and streams ended; resolves when all connections are gone. */
    async drain(): Promise<void> {
      serving.isDraining = true
      for (const connection of connections) connection.drain()
      for (const connection of connections) await connection.gone
    },
    /** Ends what is still under way. */
    close(): void {
      clearInterval(timer)
      for (const connection of connections) connection.close()
    },
  }
}
