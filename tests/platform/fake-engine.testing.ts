import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as a fake engine got it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface FakeEngine {
  readonly url: string
  /** Requests of the proxy, in their order. */
  readonly seen: SeenRequest[]
  stop(): void
}

/** A server at the address of an engine. Its version cannot prove an identity. */
export async function startFakeEngine(
  answer: (response: ServerResponse, request: SeenRequest) => void,
): Promise<FakeEngine> {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const { method = '', url = '', headers } = request
        response.setHeader('content-type', 'application/json')
        if (url === '/api/v1/identity-proof') return response.writeHead(404).end('{}')
        seen.push({ method, url, headers, body })
        return answer(response, { method, url, headers, body })
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
