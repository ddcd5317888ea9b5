import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from 'node:http2'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CallParts } from './call.ts'
import { Connection, type ConnectionLimits } from './connection.ts'
import type { Method } from './method.ts'

/** A certificate chain and its key, in PEM, and the certificates whose clients are let in. */
export interface Tls {
  readonly cert: string
  readonly key: string
  /** Undefined: clients need no certificate. */
  readonly clientCa?: string | undefined
}

export interface GrpcServerOptions extends Omit<CallParts, 'state'>, ConnectionLimits {
  readonly methods: readonly Method[]
  /** Undefined: plain text. */
  readonly tls: Tls | undefined
  /** Calls that one connection may have under way. */
  readonly maxStreams: number
  /** Bytes of the metadata of one call, as HTTP/2 counts them. */
  readonly maxMetadataBytes: number
}

export interface GrpcServer {
  /** Accepts connections, secured where there is TLS. Not listening yet. */
  readonly listener: NetServer
  /** Serves a connection that was accepted elsewhere. */
  take(connection: Duplex, isSecured: boolean): void
  /** New connections are secured by these. */
  replaceTls(tls: Tls): void
  /** New calls are refused and streams ended; resolves when all connections are gone. */
  drain(): Promise<void>
  /** Ends what is still under way. */
  close(): void
}

/**
 * Streams that a client may reset in a burst, and so many a second more, before its connection ends. It must not be met by
 * calls whose deadlines pass together; each costs the server what a call costs.
 */
const RESETS = { streamResetBurst: 10_000, streamResetRate: 1000 } as const
/** Milliseconds for the handshake of TLS. */
const HANDSHAKE_MS = 20_000
const VERSION = { minVersion: 'TLSv1.2' } as const

/** A server of gRPC over the HTTP/2 of Node. */
export function createGrpcServer(options: GrpcServerOptions): GrpcServer {
  const methods = new Map(options.methods.map((method) => [`/${method.name}`, method]))
  const connections = new Set<Connection>()
  const state = { isDraining: false, now: performance.now() }
  const parts: CallParts = { ...options, state }
  let allGone = () => {}
  const begin = (session: ServerHttp2Session) => {
    const connection = new Connection(session, methods, parts)
    connections.add(connection)
    session.once('close', () => {
      connections.delete(connection)
      if (connections.size === 0) allGone()
    })
    if (state.isDraining) connection.drain()
  }
  const settings = {
    settings: { maxConcurrentStreams: options.maxStreams, maxHeaderListSize: options.maxMetadataBytes },
    ...RESETS,
  }
  const started = <Server extends Http2Server | Http2SecureServer>(server: Server): Server => {
    // A connection that fails before it is a session, and one that fails later: neither is an error of the server.
    server.on('session', begin).on('sessionError', () => {})
    return server
  }
  const plain = started(createServer(settings))
  const secured =
    options.tls === undefined
      ? undefined
      : started(createSecureServer({ ...settings, ...contextOf(options.tls), handshakeTimeout: HANDSHAKE_MS }))
  const listener: NetServer = secured ?? plain
  const sweepMs = Math.min(250, options.limitMs / 4)
  const timer = setInterval(() => {
    state.now = performance.now()
    for (const connection of connections) connection.sweep(state.now, options, sweepMs)
  }, sweepMs).unref()

  return {
    listener,
    take: (connection, isSecured) => void (isSecured ? listener : plain).emit('connection', connection),
    replaceTls: (tls) => secured?.setSecureContext(contextOf(tls)),
    async drain() {
      state.isDraining = true
      // Its own `close` would end connections under way.
      NetServer.prototype.close.call(listener)
      const gone = new Promise<void>((resolve) => (allGone = resolve))
      for (const connection of connections) connection.drain()
      if (connections.size > 0) await gone
    },
    close() {
      clearInterval(timer)
      for (const connection of connections) connection.close()
    },
  }
}

function contextOf({ cert, key, clientCa }: Tls) {
  const mutual = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }
  return { cert, key, ...mutual, ...VERSION }
}
