import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, type Reply, startServer, type TestServer } from './server.testing.ts'

/** Web pages of other origins: the CORS protocol, with `--cors-origin` and without. */

const APP = 'https://app.example.com'
const EXECUTE = '/api/v1/execute/adult-check'
const directory = mkdtempSync(join(tmpdir(), 'engine-cors-'))
const servers: Record<string, TestServer> = {}

beforeAll(async () => {
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, `ada:admin:${createHash('sha256').update('secret').digest('hex')}\n`)
  for (const [name, options] of [
    ['some', ['--cors-origin', `${APP},http://localhost:5173`, '--api-tokens-file', tokens]],
    ['all', ['--cors-origin', '*']],
    ['none', []],
  ] as const) {
    const server = await startServer(...options)
    await server.post('/api/v1/rulesets', adultCheck({ config: { description: 'x'.repeat(2000) } }), {
      authorization: 'Bearer secret',
    })
    servers[name] = server
  }
})
afterAll(async () => {
  for (const server of Object.values(servers)) await server.stop()
  rmSync(directory, { recursive: true })
})

const at = (name: string) => servers[name] as TestServer
const allowed = ({ headers }: Reply) => headers.get('access-control-allow-origin')
const preflight = (name: string, origin: string, path = EXECUTE, method = 'POST') =>
  at(name).request('OPTIONS', path, {
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
  })

describe('a preflight', () => {
  test.each([
    ['some', APP, APP],
    ['some', 'http://localhost:5173', 'http://localhost:5173'],
    ['all', 'https://anything.example', '*'],
  ])('of an allowed origin (%s, %s) needs no token', async (name, origin, expected) => {
    for (const path of [EXECUTE, '/api/v1/rulesets', '/health', '/api/v1/openapi.json']) {
      const reply = await preflight(name, origin, path)
      expect([reply.status, reply.text, allowed(reply)]).toEqual([204, '', expected])
      const { headers } = reply
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, DELETE')
      const names = headers.get('access-control-allow-headers')?.split(', ')
      for (const one of ['authorization', 'content-type', 'x-api-key', 'x-tenant-id', 'if-match'])
        expect(names).toContain(one)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test.each([
    ['some', 'https://evil.example'],
    ['some', `${APP}.evil.example`],
    ['some', 'null'],
    ['some', APP.toUpperCase()],
    ['none', APP],
  ])('of another (%s, %s) is a method like any other', async (name, origin) => {
    const reply = await preflight(name, origin)
    expect([reply.status, allowed(reply)]).toEqual([405, null])
  })
})

describe('an answer', () => {
  const ask = (name: string, origin: string, path: string, headers: Record<string, string> = {}) =>
    at(name).request('GET', path, { headers: { origin, ...headers } })
  const TOKEN = { authorization: 'Bearer secret' }

  test('to an allowed origin can be read, the refusals too', async () => {
    for (const [path, headers, status] of [
      ['/api/v1/rulesets', TOKEN, 200],
      ['/api/v1/rulesets/adult-check', TOKEN, 200],
      ['/api/v1/rulesets', {}, 401],
      ['/nowhere', {}, 404],
      ['/api/v1/openapi.json', {}, 200],
      ['/health', {}, 200],
    ] as const) {
      const reply = await ask('some', APP, path, headers)
      expect([path, reply.status, allowed(reply)]).toEqual([path, status, APP])
      expect(reply.headers.get('vary')).toContain('origin')
      expect(reply.headers.get('access-control-expose-headers')).toContain('etag')
    }
  })

  test('of a decision as well, in its plain form, escaped and as a stream', async () => {
    for (const [path, type, body] of [
      [EXECUTE, 'application/json', '{"input":{"age":20}}'],
      ['/api/v1/execute/adult%2Dcheck', 'application/json', '{"input":{"age":20}}'],
      [`${EXECUTE}/batch`, 'application/x-ndjson', '{"age":20}\n'],
    ] as const) {
      const headers = { origin: APP, 'content-type': type, ...TOKEN }
      const reply = await at('some').request('POST', path, { body, headers })
      expect([reply.status, allowed(reply)]).toEqual([200, APP])
      expect(reply.text).toContain('ADULT')
    }
  })

  test('to another origin, or to none, has nothing of it', async () => {
    for (const [name, origin] of [
      ['some', 'https://evil.example'],
      ['none', APP],
    ] as const)
      expect(allowed(await ask(name, origin, '/health'))).toBeNull()
    expect(allowed(await at('all').request('GET', '/health'))).toBeNull()
  })
})

test.each([
  'app.example.com',
  'https://app.example.com/',
  'https://a.example/x',
  'ftp://a',
  '',
  'https://a.example,,*',
])('`--cors-origin %s` is refused', async (value) => {
  await expect(startServer('--cors-origin', value)).rejects.toThrow(/--cors-origin/)
})
