import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { connections, startCrew } from '../workers.testing.ts'
import { CONNECT_TOKEN, type SimulatedPlatform, startPlatform } from './simulated-platform.testing.ts'

/** The engine proves that it holds the token of its registration (docs/platform/engine-link.md). */

const PATH = '/api/v1/identity-proof'

let platform: SimulatedPlatform
beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())
afterAll(killAll)

async function linked(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer(
    '--platform-url',
    platform.url,
    '--platform-connect-token',
    CONNECT_TOKEN,
    ...options,
  )
  onTestFinished(() => server.stop())
  return server
}

const nonceOf = () => randomBytes(32).toString('base64url')
/** As the page of the link describes it, without our code. */
const expected = (origin: string, nonce: string, { serverId, proxyToken } = platform) =>
  createHmac('sha256', proxyToken)
    .update(`["engine-identity-proof/1","${serverId}","${origin}","${nonce}"]`)
    .digest('base64url')
const ask = (server: TestServer, nonce: string) => server.post(PATH, { nonce })

describe('the proof', () => {
  test('is a keyed hash over server, origin and nonce, and shows no token', async () => {
    const server = await linked()
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    const nonce = nonceOf()
    const { status, body, text } = await ask(server, nonce)
    expect([status, body]).toEqual([200, { server_id: platform.serverId, proof: expected(server.url, nonce) }])
    expect(text).not.toContain(platform.proxyToken)
    expect((await ask(server, nonceOf())).body.proof).not.toBe(body.proof)
  })

  test('is for the address of the registration, whatever address the request came by', async () => {
    const server = await linked('--platform-server-url', 'https://Engine.example.com:443/')
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    const nonce = nonceOf()
    const { body } = await server.post(PATH, { nonce }, { host: 'other.example.com' })
    expect(body.proof).toBe(expected('https://engine.example.com', nonce))
  })

  test('follows each new registration', async () => {
    const server = await linked()
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    const { serverId, proxyToken } = platform
    platform.forgetServer()
    await expect.poll(() => platform.proxyToken).not.toBe(proxyToken)
    const nonce = nonceOf()
    await expect.poll(async () => (await ask(server, nonce)).body.proof).toBe(expected(server.url, nonce))
    expect((await ask(server, nonce)).body.proof).not.toBe(
      expected(server.url, nonce, { ...platform, serverId, proxyToken }),
    )
  })

  test('needs no token where the engine has tokens of its own', async () => {
    const server = await linked('--multi-tenancy-enabled')
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    const nonce = nonceOf()
    const { body } = await server.post(PATH, { nonce }, { 'x-tenant-id': 'unknown' })
    expect(body.proof).toBe(expected(server.url, nonce))
  })

  test('is given by every worker', async () => {
    const crew = await startCrew('--platform-url', platform.url, '--platform-connect-token', CONNECT_TOKEN)
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    const nonce = nonceOf()
    for (const one of await connections(crew.url, 2)) {
      const { status, body } = await one.request('POST', PATH, { nonce })
      expect([status, body.proof]).toEqual([200, expected(platform.registrations[0]?.url ?? '', nonce)])
    }
    expect(await crew.stop()).toBe(0)
  })
})

describe('no proof', () => {
  test('of an engine without a platform is 409, and never 404', async () => {
    const server = await startServer()
    onTestFinished(() => server.stop())
    const { status, body } = await ask(server, nonceOf())
    expect([status, body.code]).toEqual([409, 'CONFLICT'])
  })

  test('before the first registration is 503', async () => {
    platform.refuseRegistration = 500
    const { status, headers } = await ask(await linked(), nonceOf())
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  })

  test('of an engine that has registered no address is 409', async () => {
    platform.refuseAddress = true
    const server = await linked()
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    expect(platform.registrations.map(({ url }) => url)).toEqual([server.url, undefined])
    expect((await ask(server, nonceOf())).status).toBe(409)
    expect(server.logged.filter((line) => line.includes('refuses the address'))).toHaveLength(1)
  })

  test.each<[what: string, body: unknown, status: number]>([
    ['no nonce', {}, 400],
    ['a nonce of 31 bytes', { nonce: randomBytes(31).toString('base64url') }, 400],
    ['a nonce of 33 bytes', { nonce: randomBytes(33).toString('base64url') }, 400],
    ['a nonce in base64', { nonce: '+'.repeat(43) }, 400],
    ['a nonce that ends its text', { nonce: `"]${'a'.repeat(41)}` }, 400],
    ['a number', { nonce: 1 }, 400],
    ['an unknown member', { nonce: nonceOf(), server_id: 'x' }, 400],
    ['a body of 64 KiB', { nonce: nonceOf(), more: 'x'.repeat(65_536) }, 413],
  ])('for %s', async (_what, body, status) => {
    const server = await linked()
    expect((await server.post(PATH, body)).status).toBe(status)
  })
})

test('an address that its user has chosen is kept', async () => {
  platform.refuseAddress = true
  await linked('--platform-server-url', 'http://engine.example.com')
  await expect.poll(() => platform.registrations.length).toBeGreaterThan(1)
  expect(platform.registrations.every(({ url }) => url === 'http://engine.example.com')).toBe(true)
})

test.each(['http://engine/base', 'http://user@engine', 'http://engine?', 'http://0177.0.0.1', 'http:/engine'])(
  '--platform-server-url %s is refused at the start',
  async (url) => {
    await expect(
      startServer('--platform-url', platform.url, '--platform-connect-token', 'x', '--platform-server-url', url),
    ).rejects.toThrow('is not an origin')
  },
)
