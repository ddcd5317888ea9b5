import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ROUTES } from '../../apps/engine-server/src/http/routes.ts'
import { TENANT_ROUTES } from '../../apps/engine-server/src/http/routes/tenants.ts'
import { killAll } from '../engine-server.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { answering, connections, startCrew } from '../workers.testing.ts'
import { CONNECT_TOKEN, type SimulatedPlatform, startPlatform } from './simulated-platform.testing.ts'

/** Only the platform changes an engine that has a platform and no tokens. */

let platform: SimulatedPlatform
beforeEach(async () => {
  platform = await startPlatform()
})
afterEach(() => platform.close())
afterAll(killAll)

const LINK = () => ['--platform-url', platform.url, '--platform-connect-token', CONNECT_TOKEN]
async function started(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer(...options)
  onTestFinished(() => server.stop())
  return server
}
const codeOf = async (server: TestServer, name = 'rule') =>
  (await server.post(`/api/v1/execute/${name}`, { input: {} })).body?.code

/** Every route that changes something, with a body that it would take. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/rulesets': answering('LOCAL', 'local'),
  'POST /api/v1/rulesets/:name/rollback': { seq: 1 },
  'PUT /api/v1/config/audit-sample-rate': { sample_rate: 1 },
  'POST /api/v1/tenants': { id: 'evil' },
  'PUT /api/v1/tenants/:id': {},
}
const WRITES = [...ROUTES, ...TENANT_ROUTES]
  .filter(({ writes }) => writes)
  .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'default'), body: BODIES[`${method} ${path}`] }))

/** Routes that change nothing, and that are no GET. */
const READS = new Set([
  'POST /api/v1/rulesets/validate',
  'POST /api/v1/execute/:name',
  'POST /api/v1/execute/:name/batch',
  'POST /api/v1/eval',
  'POST /api/v1/rulesets/:name/filter',
  'POST /api/v1/rulesets/:name/sql',
  'POST /api/v1/rulesets/:name/analyze',
  'POST /api/v1/rulesets/:name/impact',
  'POST /api/v1/rulesets/:name/why-not',
  'POST /api/v1/rulesets/:name/replay',
  'POST /api/v1/identity-proof',
])

test('a route other than GET either writes or is known to write nothing', () => {
  const others = [...ROUTES, ...TENANT_ROUTES].filter(({ method, writes }) => method !== 'GET' && !writes)
  expect(others.map(({ method, path }) => `${method} ${path}`).filter((one) => !READS.has(one))).toEqual([])
})

test('every change by a client is 403, and nothing has changed', async () => {
  const server = await started(...LINK(), '--multi-tenancy-enabled')
  platform.want(answering('PLATFORM', 'wanted'), 'default')
  await expect.poll(() => codeOf(server, 'wanted')).toBe('PLATFORM')
  const before = (await server.request('GET', '/api/v1/tenants')).text
  expect(WRITES.length).toBeGreaterThan(6)
  for (const { method, path, body } of WRITES)
    for (const [query, headers] of [
      ['', {}],
      ['?dry_run=true', {}],
      ['', { authorization: `Bearer ${platform.proxyToken}` }],
      ['', { 'x-api-key': 'anything' }],
    ] as const) {
      const options = {
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
      }
      const { status, body: answer } = await server.request(method, `${path}${query}`, options)
      expect([method, path, status, answer.code]).toEqual([method, path, 403, 'FORBIDDEN'])
      expect(answer.error).toContain('--allow-direct-writes')
    }
  expect((await server.request('GET', '/api/v1/tenants')).text).toBe(before)
  expect((await server.request('GET', '/api/v1/rulesets')).body).toHaveLength(1)
  expect((await server.request('GET', '/api/v1/config/audit-sample-rate')).body.sample_rate).not.toBe(1)
})

test('the description of the interface says so', async () => {
  const server = await started(...LINK())
  const { paths } = (await server.request('GET', '/api/v1/openapi.json')).body
  expect(paths['/api/v1/rulesets'].post.responses).toHaveProperty('403')
  expect(paths['/api/v1/rulesets'].get.responses).not.toHaveProperty('403')
})

test('workers refuse changes as well', async () => {
  const crew = await startCrew(...LINK())
  for (const one of await connections(crew.url, 2))
    expect((await one.request('POST', '/api/v1/rulesets', answering('A'))).status).toBe(403)
  expect(await crew.stop()).toBe(0)
})

describe('changes are taken', () => {
  test('from everyone with --allow-direct-writes', async () => {
    const server = await started(...LINK(), '--allow-direct-writes')
    expect((await server.post('/api/v1/rulesets', answering('LOCAL'))).status).toBe(201)
    expect((await server.request('DELETE', '/api/v1/rulesets/rule')).status).toBe(204)
  })

  test('by tokens, where the engine has tokens', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'direct-writes-')), 'tokens')
    writeFileSync(file, `ada:write:${createHash('sha256').update('ada').digest('hex')}\n`)
    const server = await started(...LINK(), '--api-tokens-file', file)
    const store = (token: string) =>
      server.post('/api/v1/rulesets', answering('LOCAL'), { authorization: `Bearer ${token}` })
    expect((await store('ada')).status).toBe(201)
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    expect((await store(platform.proxyToken)).status).toBe(403)
  })

  test('of an engine without a platform', async () => {
    expect((await (await started()).post('/api/v1/rulesets', answering('LOCAL'))).status).toBe(201)
  })

  test('from the platform, from the seed and from rule files', async () => {
    const seed = mkdtempSync(join(tmpdir(), 'seed-'))
    const rules = mkdtempSync(join(tmpdir(), 'rules-'))
    mkdirSync(join(seed, 'seeded'))
    writeFileSync(join(seed, 'seeded', 'ruleset.json'), JSON.stringify(answering('SEED', 'seeded')))
    const server = await started(...LINK(), '--seed-dir', seed, '--rules-dir', rules, '--watch-rules')
    expect(await codeOf(server, 'seeded')).toBe('SEED')
    writeFileSync(join(rules, 'file.json'), JSON.stringify(answering('FILE', 'file')))
    await expect.poll(() => codeOf(server, 'file')).toBe('FILE')
    platform.want(answering('PLATFORM'))
    await expect.poll(() => codeOf(server)).toBe('PLATFORM')
  })
})
