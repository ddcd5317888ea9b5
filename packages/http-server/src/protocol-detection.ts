import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The first bytes of every HTTP/2 connection (RFC 9113 section 3.4), and therefore of gRPC. */
const PREFACE = Buffer.from('PRI ')
/** Timeout for the first bytes of a connection, which reveal its protocol. */
const PROTOCOL_TIMEOUT_MS = 20_000

/**
 * Serves HTTP/2 (gRPC) at the address of an HTTP/1.1 server: the first bytes of a connection identify the protocol. A
 * Unix domain socket has no second port for it.
 *
 * @param take receives the HTTP/2 connections
 */
export function shareWithHttp2(server: Server, take: (connection: Socket) => void): void {
  const speakHttp = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (connection: Socket) => {
    connection.on('error', () => connection.destroy())
    connection.setTimeout(PROTOCOL_TIMEOUT_MS, () => connection.destroy())
    // A client that disconnects without sending, like a probe: its half-open connection would remain, also at shutdown.
    const gone = () => connection.destroy()
    connection.once('end', gone)
    connection.once('data', (first: Buffer) => {
      connection.off('end', gone)
      connection.setTimeout(0)
      connection.removeAllListeners('timeout')
      connection.pause()
      connection.unshift(first)
      // HTTP/2 clients send the whole preface in their first packet, so a shorter one is not HTTP/2.
      if (first.subarray(0, PREFACE.length).equals(PREFACE)) return take(connection)
      for (const listener of speakHttp) listener.call(server, connection)
      connection.resume()
    })
  })
}
