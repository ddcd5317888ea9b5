import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTES } from '../../apps/engine-server/src/http/routes.ts'
import { TENANT_ROUTES } from '../../apps/engine-server/src/http/routes/tenants.ts'
import { engineClient } from '../grpc/client.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-roles-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A request for each route; refusals do not depend on the body. */
const ask = (server: TestServer, method: string, path: string) =>
  server.request(method, path.replace(/:\w+/, 'adult-check'), {
    headers: { 'content-type': 'application/json' },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
  })

describe('a reader', () => {
  let server: TestServer
  beforeAll(async () => {
    writeFileSync(join(directory, 'adult-check.json'), JSON.stringify(adultCheck()))
    const place = ['--rules-dir', directory, '--grpc-addr', '127.0.0.1:0', '--multi-tenancy-enabled=false']
    server = await startServer('--role', 'reader', '--writer-addr', 'http://writer:8080', ...place)
  })
  afterAll(() => server.stop())

  const writes = ROUTES.filter((route) => route.writes)
  test.each(writes.map(({ method, path }) => [method, path]))('refuses %s %s', async (method, path) => {
    const { status, body } = await ask(server, method, path)
    expect([status, body]).toEqual([
      409,
      {
        error: 'read_only',
        message:
          'this instance is a reader and cannot change rulesets: send changes to the writer at http://writer:8080',
        writer: 'http://writer:8080',
      },
    ])
  })

  test('has just these writing routes', () => {
    expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/rulesets',
      'DELETE /api/v1/rulesets/:name',
      'POST /api/v1/rulesets/:name/rollback',
      'PUT /api/v1/config/audit-sample-rate',
    ])
    expect(TENANT_ROUTES.filter((route) => route.writes).map(({ method }) => method)).toEqual(['POST', 'PUT', 'DELETE'])
  })

  test.each(ROUTES.filter((route) => !route.writes).map(({ method, path }) => [method, path]))(
    'serves %s %s',
    async (method, path) => {
      expect((await ask(server, method, path)).status).not.toBe(409)
    },
  )

  test('decides, over HTTP and gRPC, and shows its role', async () => {
    const { body } = await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
    expect(body.code).toBe('ADULT')
    const client = engineClient(server.grpc)
    expect(await client.call('Execute', { name: 'adult-check', input_json: '{"age": 20}' })).toMatchObject({
      message: { code: 'ADULT' },
    })
    client.close()
    expect((await server.request('GET', '/health')).body.role).toBe('reader')
  })
})

test.each(['standalone', 'writer'])('a %s takes changes', async (role) => {
  const server = await startServer('--role', role)
  expect((await server.post('/api/v1/rulesets', adultCheck())).status).toBe(201)
  expect((await server.request('GET', '/health')).body.role).toBe(role)
  await server.stop()
})

test('a reader without `--writer-addr` says so', async () => {
  const server = await startServer('--role', 'reader')
  expect((await server.post('/api/v1/rulesets', adultCheck())).body).toEqual({
    error: 'read_only',
    message: 'this instance is a reader and cannot change rulesets: send changes to the writer',
    writer: 'unknown',
  })
  await server.stop()
})
