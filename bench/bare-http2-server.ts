import { createServer, type ServerHttp2Stream } from 'node:http2'
import { portOf } from './port-of.ts'

/** The least that a handler of `node:http2` can do as gRPC: read the request to its end, answer the bytes given as hex. */
const ANSWER = Buffer.from(process.argv[2] ?? '', 'hex')

const server = createServer()
server.on('stream', (stream: ServerHttp2Stream) => {
  stream.on('error', () => {})
  stream.resume()
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(ANSWER)
  })
})
server.listen(0, '127.0.0.1', () => {
  const port = portOf(server)
  console.log(`listens on http://127.0.0.1:${port} and 127.0.0.1:${port} (gRPC)`)
})
process.on('SIGTERM', () => process.exit(0))
