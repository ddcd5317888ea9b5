import { once } from 'node:events'
import { connect, createServer, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { serveConnection } from './connection.ts'

const ending: (() => void)[] = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

const SERVING = { methods: new Map(), isDraining: false, now: 0, limitMs: 1000, maxAgeMs: 1e9 } as never

/** The session of a client that has just connected. */
async function greeted(): Promise<ServerHttp2Session> {
  const server = createServer().listen(0, '127.0.0.1')
  ending.push(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(`http://127.0.0.1:${port}`).on('error', () => {})
  ending.push(() => client.destroy())
  const [session] = (await once(server, 'session')) as [ServerHttp2Session]
  return session
}

test.each([
  ['a ping that is due', 61_000],
  ['the end of its age', 2e9],
])('a session that was destroyed, and is not closed yet, survives %s', async (_title, later) => {
  const session = await greeted()
  const connection = serveConnection(session, SERVING)
  await once(session, 'remoteSettings')
  session.destroy()
  expect(session.destroyed).toBe(true)
  expect(() => connection.sweep(performance.now() + later)).not.toThrow()
  expect(() => connection.drain()).not.toThrow()
  await connection.gone
})
