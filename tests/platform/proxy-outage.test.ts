import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { answering } from '../workers.testing.ts'
import { migratedLocation } from './databases.testing.ts'
import { addEngine, engineNamed, startTeam, type Team, want } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { type Relay, relayTo } from './relay.testing.ts'
import { made } from './team.testing.ts'

const A = '/api/v1'
const DEADLINE = { timeout: 30_000 }

/** The server of the database, past the relay. */
let direct: string
let relay: Relay
let database: Database
let platform: TestPlatform
let team: Team
let E: string
/** Challenges that the engine has received. */
let challenges = 0
/** Whether the engine breaks the next decision off. */
let breaks = false

beforeAll(async () => {
  const location = await migratedLocation('postgres')
  if (location.kind !== 'server') throw new Error('no server')
  direct = location.url
  const url = new URL(direct)
  relay = await relayTo({ host: url.hostname, port: Number(url.port) })
  url.port = String(relay.port)
  database = await openDatabase({ kind: 'server', url: url.href }, memoryLog().log)
  platform = await startPlatform(database)
  team = await startTeam(platform)
  E = `${A}/engine/${team.project}`
  const engine = createServer((request, response) => {
    void text(request).then(() => {
      if (request.url === '/api/v1/identity-proof') {
        challenges++
        return response.writeHead(404).end()
      }
      if (breaks) {
        breaks = false
        return request.socket.destroy()
      }
      return response.setHeader('content-type', 'application/json').end('{"code":"DONE"}')
    })
  })
  engine.listen(0, '127.0.0.1')
  await once(engine, 'listening')
  const at = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
  const { id } = await addEngine(platform, await team.connectToken(), engineNamed('only', { url: at }))
  await team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: [id] })
  const { body: prod } = await team.owner.request('GET', `${team.P}/environments/prod`)
  await want(database, team.org, prod.id, [answering('DONE', 'fee')])
  return () => {
    engine.close()
    engine.closeAllConnections()
  }
})
afterAll(async () => {
  await platform.stop()
  await database.close()
  await relay.cut()
})

let keys = 0
async function newKey(more: object = {}): Promise<{ readonly id: string; readonly program: Program }> {
  const key = { name: `key ${++keys}`, scopes: ['decision.execute'], ...more }
  const { id, token } = await made(team.owner.request('POST', `${team.O}/api-keys`, key))
  return { id, program: programOf(token) }
}

/** A program with the place and the key that it uses in the fast lane. */
interface Program extends Client {
  readonly url: string
  readonly key: string
}
const programOf = (key: string, of = platform): Program => ({ ...of.program(key), url: of.url, key })

/** The status of a decision over `node:http`, which is that of one in the fast lane. */
async function decide(by: Program): Promise<number> {
  const { status } = await by.request('POST', `${E}/execute/fee`, {}, { te: 'trailers' })
  expect(await statusInLane(by)).toBe(status)
  return status
}

/** Its connections are for nothing else: one that has left the lane stays outside of it. */
const agent = new Agent({ keepAlive: true })
afterAll(() => agent.destroy())

async function statusInLane({ url, key }: Program): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '2' }
  const asked = send(`${url}${E}/execute/fee`, { method: 'POST', agent, headers }).end('{}')
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  await text(answer)
  return answer.statusCode ?? 0
}
const probe = async (path: string) => (await platform.browser().request('GET', path)).status

/** Advances the clock of cached data: it is read again before it is used. */
function pass(milliseconds: number): void {
  skew += milliseconds
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skew)
}
const monotonic = performance.now.bind(performance)
let skew = 0

describe('while the database is unavailable', () => {
  async function cut(): Promise<void> {
    await relay.cut()
    onTestFinished(restored)
  }
  async function restored(): Promise<void> {
    await relay.restore()
    await expect.poll(() => probe('/healthz/ready'), DEADLINE).toBe(200)
  }

  test('known keys decide, unknown ones get 503, and readiness differs from the probe of the proxy', async () => {
    const { program: known } = await newKey()
    const { program: unknown } = await newKey()
    expect(await decide(known)).toBe(200)
    await cut()
    pass(3000)
    for (let count = 0; count < 5; count++) expect(await decide(known)).toBe(200)
    expect(await decide(unknown)).toBe(503)
    expect(await decide(programOf('eng_key_' + 'x'.repeat(43)))).toBe(503)
    expect(await decide(programOf('no key'))).toBe(401)
    expect(await probe('/healthz/ready')).toBe(503)
    const { text: metrics } = await platform.browser().request('GET', '/metrics')
    expect(Number(/proxy_stale_reads_total\{of="key"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(5)
    const { status, body } = await platform.browser().request('GET', '/healthz/proxy')
    expect([status, body]).toEqual([200, { status: 'healthy', database: 'away' }])
  })

  test('with --proxy-stale-secs 0 nothing decides', async () => {
    const strict = await startPlatform(database, ['--proxy-stale-secs', '0'])
    const { token } = await made(
      team.owner.request('POST', `${team.O}/api-keys`, { name: 'strict', scopes: ['decision.execute'] }),
    )
    const program = programOf(token, strict)
    expect(await decide(program)).toBe(200)
    await cut()
    pass(3000)
    expect(await decide(program)).toBe(503)
    const { status, body } = await strict.browser().request('GET', '/healthz/proxy')
    expect([status, body]).toEqual([503, { status: 'unhealthy', database: 'away' }])
    await relay.restore()
    await strict.stop()
    await relay.cut()
  })

  test('an engine whose connections broke proves its identity again, and decides', async () => {
    const { program } = await newKey()
    expect(await decide(program)).toBe(200)
    await cut()
    const proofs = challenges
    breaks = true
    // The decision that breaks off; the engine is challenged after it.
    await statusInLane(program)
    expect(await decide(program)).toBe(200)
    expect(challenges).toBe(proofs + 1)
  })

  test('a key that was revoked earlier stays revoked', async () => {
    const { id, program } = await newKey()
    expect(await decide(program)).toBe(200)
    expect((await team.owner.request('DELETE', `${team.O}/api-keys/${id}`)).status).toBe(204)
    await cut()
    expect(await decide(program)).toBe(503)
  })

  test('a key whose time ends then decides no more', async () => {
    const { program } = await newKey({ expires_at: new Date(Date.now() + 1500).toISOString() })
    expect(await decide(program)).toBe(200)
    await cut()
    await expect.poll(() => decide(program), DEADLINE).toBe(401)
  })
})

test('a key that another replica revokes decides no more', async () => {
  const { id, program } = await newKey()
  expect(await decide(program)).toBe(200)
  const other = await openDatabase({ kind: 'server', url: direct }, memoryLog().log)
  const replica = await startPlatform(other)
  const browser = replica.browser()
  for (const [name, value] of team.owner.cookies) browser.cookies.set(name, value)
  expect((await browser.request('DELETE', `${team.O}/api-keys/${id}`)).status).toBe(204)
  await expect.poll(() => decide(program), DEADLINE).toBe(401)
  await replica.stop()
  await other.close()
})

test('a key loses the permissions of its author, immediately at the same replica', async () => {
  const member = await made(team.owner.request('POST', `${team.O}/members`, { email: 'a@b.example', roles: ['admin'] }))
  const person = await platform.person('a@b.example')
  const token = member.invitation.url.split('#token=')[1]
  expect((await person.request('POST', `${A}/invitations/accept`, { token })).status).toBe(200)
  const scopes = ['decision.execute', 'server.manage']
  const key = await made(person.request('POST', `${team.O}/api-keys`, { name: 'of a member', scopes }))
  const program = programOf(key.token)
  const manage = async () => (await program.request('GET', `${E}/rulesets/fee`)).status
  expect(await manage()).toBe(200)
  await team.owner.request('PUT', `${team.O}/members/${member.id}/roles`, { roles: ['viewer'] })
  expect([await manage(), await decide(program)]).toEqual([403, 403])
  await team.owner.request('DELETE', `${team.O}/members/${member.id}`)
  expect(await manage()).toBe(401)
})

test('while the database hangs, known keys decide', async () => {
  const { program } = await newKey()
  expect(await decide(program)).toBe(200)
  pass(3000)
  relay.pause()
  try {
    for (let count = 0; count < 5; count++) expect(await decide(program)).toBe(200)
    expect(await probe('/healthz/proxy')).toBe(200)
  } finally {
    relay.resume()
  }
  await expect.poll(() => probe('/healthz/ready'), DEADLINE).toBe(200)
})

test('no lock on any table delays decisions of known keys, or readiness', async () => {
  const { program } = await newKey()
  expect(await decide(program)).toBe(200)
  pass(3000)
  const client = new pg.Client({ connectionString: direct })
  await client.connect()
  const { rows } = await client.query(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  )
  await client.query('begin')
  await client.query(`lock table ${rows.map(({ name }) => name).join()} in access exclusive mode`)
  // More requests that wait for it than the platform has connections for them.
  const waiting = Array.from({ length: 12 }, () => team.owner.request('GET', `${team.O}/audit`).catch(() => undefined))
  try {
    for (let count = 0; count < 5; count++) {
      expect(await decide(program)).toBe(200)
      expect(await probe('/healthz/ready')).toBe(200)
    }
  } finally {
    await client.query('rollback')
    await client.end()
    await Promise.all(waiting)
  }
})
