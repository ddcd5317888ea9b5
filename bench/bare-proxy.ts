import { Agent, createServer, request } from 'node:http'
import { portOf } from './port-of.ts'

/** The least that a proxy in Node does: every request goes to one server, over connections that are kept. */
const to = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true })
const server = createServer((asked, answer) => {
  const { host: _host, ...headers } = asked.headers
  const { hostname: host, port } = to
  const sent = request({ agent, host, port, path: asked.url, method: asked.method, headers })
  sent.on('response', (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(answer)
  })
  sent.on('error', () => answer.writeHead(502).end())
  asked.pipe(sent)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${portOf(server)}`)
})
