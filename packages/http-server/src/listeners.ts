import { chmod, unlink } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer as createNetServer, Server as NetServer, type Socket } from 'node:net'
import { createServer as createTlsListener, Server as TlsServer } from 'node:tls'
import { createServer } from './node-http.ts'
import type { MutualTls, TlsFiles } from './tls-files.ts'

/** The listening addresses of the server. */
export interface Places {
  /** Undefined if there is no TCP. */
  readonly tcp: { readonly host: string | undefined; readonly port: number } | undefined
  readonly tls: TlsFiles | undefined
  readonly socketPath: string | undefined
}

/** A listening address. */
export type Address = { readonly host: string | undefined; readonly port: number } | { readonly path: string }

/** Idle time after which a connection is closed. */
export const KEEP_ALIVE_MS = 65_000
/** Timeout for the head of a request. */
export const headTimeoutOf = (requestTimeoutMs: number) => Math.min(requestTimeoutMs, 20_000)
/** Timeout of the TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 20_000

function contextOf({ cert, key, clientCa: ca }: MutualTls) {
  const mutual = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return { cert, key, ...mutual, minVersion: 'TLSv1.2' } as const
}

/** Uses these files for new connections; open ones keep theirs. */
export function replaceTls(server: NetServer, tls: MutualTls): void {
  if (isTls(server)) server.setSecureContext(contextOf(tls))
}

/** True if the connections of a server are encrypted. */
export const isTls = (server: NetServer): server is TlsServer => server instanceof TlsServer

/**
 * Creates a server for a protocol other than HTTP/1.1, with optional TLS. It is not listening yet.
 *
 * @param protocol its TLS name (RFC 7301)
 */
export function createListener(
  protocol: string,
  tls: MutualTls | undefined,
  take: (connection: Socket) => void,
): NetServer {
  if (tls === undefined) return createNetServer({ noDelay: true }, take)
  const settings = { ALPNProtocols: [protocol], handshakeTimeout: HANDSHAKE_TIMEOUT_MS, noDelay: true }
  return createTlsListener({ ...contextOf(tls), ...settings }, take)
}

/** Servers that do not listen yet, one per address. */
export function createServers(
  { tcp, tls, socketPath }: Places,
  requestTimeoutMs: number,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): readonly { readonly server: Server; readonly address: Address }[] {
  // Node limits the time for the headers, the deadlines everything else: Node's own limit would also abort streams that
  // make progress.
  const settings: ServerOptions = {
    requestTimeout: 0,
    requireHostHeader: false,
    headersTimeout: headTimeoutOf(requestTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(5000, requestTimeoutMs),
  }
  const servers: { server: Server; address: Address }[] = []
  if (tcp !== undefined)
    servers.push({
      server:
        tls === undefined
          ? createServer(settings, listener)
          : createTlsServer({ ...settings, ...contextOf(tls) }, listener),
      address: tcp,
    })
  if (socketPath !== undefined)
    servers.push({ server: createServer(settings, listener), address: { path: socketPath } })
  return servers
}

/** Starts listening. Rejects with the system's error. */
export async function listening(server: NetServer, address: Address): Promise<void> {
  if ('path' in address) await removeDeadSocket(address.path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(
      'path' in address
        ? { path: address.path }
        : { port: address.port, ...(address.host === undefined ? {} : { host: address.host }) },
      () => {
        server.off('error', reject)
        resolve()
      },
    )
  })
  if ('path' in address) await chmod(address.path, 0o660)
}

/** Removes the socket of a killed server: it refuses connections, so its path can be reused. */
async function removeDeadSocket(path: string): Promise<void> {
  const isAnswered = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
  if (!isAnswered) await unlink(path)
}

/** Stops accepting connections; resolves when all are closed. Idle ones stay open. */
export function acceptNothing(server: NetServer): Promise<void> {
  // `close` of an HTTP server would also close idle connections, and with them requests in transit.
  return new Promise((resolve) => void NetServer.prototype.close.call(server, () => resolve()))
}

/** The number of open connections of a server. */
export function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))
}
