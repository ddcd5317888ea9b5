import { createServer, type ServerHttp2Session } from 'node:http2'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import { type Connection, serveConnection } from './connection.ts'
import type { GrpcServerOptions, Serving, Tls } from './options.ts'

/**
 * Streams that a client may reset in a burst, and so many a second more, before its connection ends. It must not be met by
 * calls whose deadlines pass together; each costs the server what a call costs.
 */
const RESETS = { streamResetBurst: 10_000, streamResetRate: 1000 } as const
/** Milliseconds for the handshake of TLS. */
const HANDSHAKE_MS = 20_000

/** A server of gRPC over the HTTP/2 of Node. */
export function createGrpcServer(options: GrpcServerOptions) {
  const { tls, maxStreams: maxConcurrentStreams, maxMetadataBytes: maxHeaderListSize, limitMs } = options
  const methods = new Map(options.methods.map((method) => [`/${method.name}`, method]))
  const serving: Serving = { ...options, methods, isDraining: false, now: performance.now() }
  const connections = new Set<Connection>()
  const begin = (session: ServerHttp2Session) => {
    const connection = serveConnection(session, serving)
    connections.add(connection)
    void connection.gone.then(() => connections.delete(connection))
    if (serving.isDraining) connection.drain()
  }
  const plain = createServer({ settings: { maxConcurrentStreams, maxHeaderListSize }, ...RESETS })
  // A connection that fails before it is a session, and one that fails later: neither is an error of the server.
  plain.on('session', begin).on('sessionError', () => {})
  const take = (connection: Duplex) => void plain.emit('connection', connection)
  const secured =
    tls === undefined
      ? undefined
      : createTlsServer({ ...contextOf(tls), ALPNProtocols: ['h2'], handshakeTimeout: HANDSHAKE_MS }, take)
  const listener: NetServer = secured ?? plain
  const sweep = () => {
    serving.now = performance.now()
    for (const connection of connections) connection.sweep(serving.now)
  }
  const timer = setInterval(sweep, Math.min(250, limitMs / 4)).unref()
  return {
    /** Accepts connections, secured where there is TLS. Not listening yet. */
    listener,
    /** Serves a connection that was accepted elsewhere. */
    take(connection: Duplex, isSecured: boolean): void {
      ;(isSecured ? listener : plain).emit('connection', connection)
    },
    /** New connections are secured by these. */
    replaceTls(replacement: Tls): void {
      secured?.setSecureContext(contextOf(replacement))
    },
    /** New calls are refused and streams ended; resolves when all connections are gone. */
    async drain(): Promise<void> {
      serving.isDraining = true
      // Its own `close` would end connections under way.
      NetServer.prototype.close.call(listener)
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

function contextOf({ cert, key, clientCa: ca }: Tls) {
  const mutual = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return { cert, key, ...mutual, minVersion: 'TLSv1.2' } as const
}
