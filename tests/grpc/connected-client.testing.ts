import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { adultCheck, startServer, type TestServer } from '../http/server.testing.ts'
import { engineClient, type TestClient } from './client.testing.ts'

/** A server and a client of it, for one test. */
export async function connected(...options: readonly string[]): Promise<{ server: TestServer; client: TestClient }> {
  const server = await startServer('--network-http-policy', 'open', '--grpc-addr', '127.0.0.1:0', ...options)
  onTestFinished(() => server.stop())
  const client = engineClient(server.grpc)
  onTestFinished(() => client.close())
  return { server, client }
}

/** A server with the rulesets `adult-check` and `other`, and a client of it, for all tests of a file. */
export function connectedForAll(): { readonly server: TestServer; readonly client: TestClient } {
  let server: TestServer
  let client: TestClient
  beforeAll(async () => {
    server = await startServer('--grpc-addr', '127.0.0.1:0')
    client = engineClient(server.grpc)
    await server.post('/api/v1/rulesets', adultCheck({ config: { description: 'who may order' } }))
    await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'other' } }))
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  return {
    get server() {
      return server
    },
    get client() {
      return client
    },
  }
}

export const adult = { name: 'adult-check', input_json: '{"age": 21}' }

/** A service that rules may call and that answers on command. */
export interface SilentService {
  readonly url: string
  /** Resolves when it is called. */
  readonly called: Promise<unknown>
  /** Answers `{}` to all calls. */
  answer(): void
}

export async function silence(): Promise<SilentService> {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const peer = createServer((_request, response) => {
    asked.resolve()
    void released.promise.then(() => response.end('{}'))
  })
  peer.listen(0, '127.0.0.1')
  await once(peer, 'listening')
  onTestFinished(() => {
    peer.closeAllConnections()
    peer.close()
  })
  const { port } = peer.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, called: asked.promise, answer: () => released.resolve() }
}

/** A ruleset that waits for a service. */
export const waiting = (url: string, config: object = {}) => ({
  config: { name: 'waits', entry_step: 'ask', ...config },
  steps: {
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        {
          action: 'external_call',
          service: 'network.http',
          method: 'get',
          params: [['url', JSON.stringify(url)]],
          result_variable: 'r',
        },
      ],
      next_step: 'end',
    },
    end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } },
  },
})
