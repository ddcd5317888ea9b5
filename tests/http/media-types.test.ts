import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { METHODS } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from './raw.testing.ts'
import { startServer, type TestServer } from './server.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-media-'))
let server: TestServer

beforeAll(async () => {
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, `ada:admin:${createHash('sha256').update('secret').digest('hex')}\n`)
  server = await startServer('--api-tokens-file', tokens)
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

/** One request with exactly these header lines. */
async function send(method: string, path: string, ...headers: readonly string[]): Promise<string> {
  const head = [`${method} ${path} HTTP/1.1`, 'host: a', 'connection: close', 'content-length: 2', ...headers]
  return sendRaw(server, `${head.join('\r\n')}\r\n\r\n{}`)
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1])
const TOKEN = 'authorization: Bearer secret'

const MALFORMED = [
  'content-type:',
  'content-type: ;',
  'content-type: /',
  'content-type: application',
  'content-type: foo',
  'content-type: a/b/c',
  'content-type: application/json, text/plain',
  'content-type: application/json;',
  'content-type: application/json; charset',
  'content-type: application/json; charset=latin1',
  'content-type: "application/json"',
  'content-type: \u00e4/\u00f6',
  `content-type: ${'x'.repeat(8000)}`,
  'x: none',
] as const

const PATHS = [
  ['POST', '/api/v1/eval'],
  ['POST', '/api/v1/rulesets'],
  ['POST', '/api/v1/execute/x'],
  ['POST', '/api/v1/execute/%78'],
  ['POST', '/api/v1/execute/x/batch'],
  ['POST', '/api/v1/rulesets/x/filter'],
  ['POST', '/api/v1/rulesets/x/analyze'],
  ['POST', '/api/v1/rulesets/x/impact'],
  ['POST', '/api/v1/rulesets/x/why-not'],
  ['POST', '/api/v1/rulesets/x/replay?seq=1'],
  ['PUT', '/api/v1/config/audit-sample-rate'],
] as const

describe.each(MALFORMED)('with %j', (type) => {
  test.each(PATHS)('%s %s is 415, and 401 without a token', async (method, path) => {
    expect(statusOf(await send(method, path, type))).toBe(401)
    const answer = await send(method, path, type, TOKEN)
    expect(statusOf(answer)).toBe(415)
    expect(answer).toContain('"code":"UNSUPPORTED_MEDIA_TYPE"')
  })

  test('an unknown path is 404, another method 405', async () => {
    expect(statusOf(await send('POST', '/nowhere', type))).toBe(404)
    expect(statusOf(await send('PATCH', '/api/v1/eval', type))).toBe(405)
    expect(statusOf(await send('POST', '/docs', type))).toBe(405)
  })
})

test('nothing of it is logged as a defect', () => {
  expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
})

describe('an unknown method', () => {
  // CONNECT has no path; bytes after an upgrade are not HTTP.
  const others = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT'].includes(method))

  test.each(others)('%s is 405 on a known path, else 404, with a body or without', async (method) => {
    for (const type of ['content-type: application/json', 'content-type: foo', 'x: none']) {
      expect(statusOf(await send(method, '/api/v1/eval', type, TOKEN))).toBe(405)
      expect(statusOf(await send(method, '/api/v1/execute/x', type))).toBe(405)
      expect(statusOf(await send(method, '/nowhere', type))).toBe(404)
      expect(statusOf(await sendRaw(server, `${method} /docs HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`))).toBe(
        405,
      )
    }
  })
})
