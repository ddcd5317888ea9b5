import { createServer, type ServerHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import { type Connection, serveConnection } from './connection.ts'
import type { GrpcServerOptions, Serving } from './options.ts'

/**
 * Number of streams that a client may reset in a burst, and per second afterwards, before its connection is closed.
 * High enough for many calls reaching their deadlines together; each costs the server as much as a call.
 */
const RESETS = { streamResetBurst: 10_000, streamResetRate: 1000 } as const

/** A gRPC server on Node's HTTP/2, for connections accepted elsewhere. */
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
  // Connections that fail before or during their session are not server errors.
  sessions.on('session', begin).on('sessionError', () => {})
  return {
    /** Serves a connection, over TLS if `h2` was negotiated. */
    take: (connection: Duplex): void => void sessions.emit('connection', connection),
    /** Rejects new calls and ends streams; resolves when all connections are closed. */
    async drain(): Promise<void> {
      serving.isDraining = true
      for (const connection of connections) connection.drain()
      for (const connection of connections) await connection.gone
    },
    /** Ends everything that is still running. */
    close(): void {
      clearInterval(timer)
      for (const connection of connections) connection.close()
    },
  }
}
