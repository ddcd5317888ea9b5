import { once } from 'node:events'
import { connect, createServer, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { serveConnection } from './connection.ts'

const ending: (() => void)[] = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

const MAX_AGE_MS = 1e9
const SERVING = { methods: new Map(), isDraining: false, now: 0, limitMs: 1000, maxAgeMs: MAX_AGE_MS } as never

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

// The age varies by a tenth, so that connections that were opened together do not end together.
test.each([
  ['before its age takes new calls', 0.89, 0],
  ['at its age takes no new calls, and may answer those it has', 1.11, 1],
])('a connection %s', async (_title, part, goaways) => {
  const session = await greeted()
  const connection = serveConnection(session, SERVING)
  await once(session, 'remoteSettings')
  const goaway = vi.spyOn(session, 'goaway')
  connection.sweep(performance.now() + part * MAX_AGE_MS)
  expect([goaway.mock.calls.length, session.destroyed]).toEqual([goaways, false])
})

test('a connection that answers no ping within 20 s ends', async () => {
  const session = await greeted()
  const connection = serveConnection(session, SERVING)
  await once(session, 'remoteSettings')
  vi.spyOn(session, 'ping').mockReturnValue(true)
  const now = performance.now()
  const destroyedAt = (later: number) => {
    connection.sweep(now + later)
    return session.destroyed
  }
  expect([61_000, 80_000, 81_100].map(destroyedAt)).toEqual([false, false, true])
})
