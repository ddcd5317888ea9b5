import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How every HTTP/2 connection begins (RFC 9113 section 3.4), and with it every one of gRPC. */
const PREFACE = Buffer.from('PRI ')
/** Milliseconds in which a connection has to say what it is. */
const PATIENCE_MS = 20_000

/**
 * Serve HTTP/2 (gRPC) at the address of an HTTP/1.1 server as well: the first bytes of a connection show the protocol. A
 * Unix domain socket has no port number that could.
 *
 * @param take gets the connections that speak HTTP/2
 */
export function shareWithHttp2(server: Server, take: (connection: Socket) => void): void {
  const speakHttp = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (connection: Socket) => {
    connection.on('error', () => connection.destroy())
    connection.setTimeout(PATIENCE_MS, () => connection.destroy())
    // A client that goes without a word, as probes do: the other half of its connection would stay open, also at shutdown.
    const gone = () => connection.destroy()
    connection.once('end', gone)
    connection.once('data', (first: Buffer) => {
      connection.off('end', gone)
      connection.setTimeout(0)
      connection.removeAllListeners('timeout')
      connection.pause()
      connection.unshift(first)
      // A shorter first packet is none of HTTP/2, whose clients send the preface at once.
      if (first.subarray(0, PREFACE.length).equals(PREFACE)) return take(connection)
      for (const listener of speakHttp) listener.call(server, connection)
      connection.resume()
    })
  })
}
