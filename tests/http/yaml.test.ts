import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gzipSync } from 'node:zlib'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

/** Rulesets in YAML over HTTP: the reader of rule files, off the event loop. */

const RULESETS = '/api/v1/rulesets'
const GOOD = `# old enough?
config: {name: from-yaml, version: "1.0", entry_step: check}
steps:
  check:
    id: check
    type: decision
    branches:
      - condition: age >= 18
        next_step: yes
    default_next: no
  yes: {id: yes, type: terminal, result: {code: ADULT, message: may order, limit: 123456789012345678901234567890}}
  no: {id: no, type: terminal, result: {code: MINOR, message: ''}}
`

let server: TestServer
beforeAll(async () => {
  server = await startServer('--request-timeout-secs', '600')
})
afterAll(() => server.stop())

const send = (body: string | Uint8Array, type = 'application/yaml', path = RULESETS, more = {}) =>
  server.request('POST', path, { body, headers: { 'content-type': type, ...more } })

test.each(['application/yaml', 'application/yaml; charset=utf-8', 'application/x-yaml', 'text/yaml', 'Text/X-YAML'])(
  '%s is stored, and decides',
  async (type) => {
    await server.request('DELETE', `${RULESETS}/from-yaml`)
    const reply = await send(GOOD, type)
    expect([reply.status, reply.body.name]).toEqual([201, 'from-yaml'])
    const decided = await server.post('/api/v1/execute/from-yaml', { input: { age: 20 } })
    expect(decided.text).toContain('"limit":123456789012345678901234567890')
  },
)

test('the digest is that of the same ruleset as JSON', async () => {
  const { body: yaml } = await send(GOOD, undefined, `${RULESETS}/validate`)
  await send(GOOD)
  const { text } = await server.request('GET', `${RULESETS}/from-yaml`)
  const { body: json } = await server.post(`${RULESETS}/validate`, text)
  expect([yaml.valid, yaml.digest]).toEqual([true, json.digest])
})

test('compressed, on trial, and large enough for a thread', async () => {
  const packed = await send(gzipSync(GOOD), undefined, `${RULESETS}?dry_run=true`, { 'content-encoding': 'gzip' })
  expect([packed.status, packed.body.dry_run]).toEqual([200, true])
  const large = `${GOOD}notes: [${'x, '.repeat(10_000)}y]\n`
  const replies = await Promise.all([
    ...Array.from({ length: 5 }, () => send(large, undefined, `${RULESETS}/validate`)),
    server.request('GET', '/healthz/live'),
  ])
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
})

describe('unreadable YAML is refused with its place', () => {
  test.each([
    ['a: [', 400, /^the body cannot be read as YAML: .* at line 1, column/],
    ['config: {name: a}\nconfig: {name: b}', 400, /Map keys must be unique at line 2, column 1/],
    ['a: 1\n---\nb: 2', 400, /it contains several documents/],
    ['a: &x [*x]', 400, /nested more than 128 levels/],
    ['', 400, /a ruleset is a JSON object, found `null`/],
    ['config: {name: x, timeout_ms: -1}', 400, /`\/config\/timeout_ms` must be a whole number/],
  ])('%j', async (body, status, error) => {
    const reply = await send(body)
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(error)])
  })

  test('more than can be read in a second or two', async () => {
    const reply = await send(`a: "${'x'.repeat(1024 * 1024)}"`)
    expect([reply.status, reply.body.error]).toEqual([413, expect.stringContaining('1048576 bytes, the limit of YAML')])
  })

  test('bytes that are not UTF-8', async () => {
    expect((await send(new Uint8Array([0x61, 0x3a, 0x20, 0xc3, 0x28]))).body.error).toMatch(/not valid UTF-8/)
  })

  test('a billion laughs', async () => {
    const laughs = Array.from({ length: 12 }, (_, n) => `b${n}: &a${n + 1} [${`*a${n},`.repeat(9)}]`)
    const reply = await send(['a: &a0 [x]', ...laughs].join('\n'))
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('its aliases')])
  })
})

test('too many at the same time get 503 with `retry-after`; queued ones are read', async () => {
  const slow = `a: [${'x, '.repeat(4000)}y]`
  const replies = await Promise.all(Array.from({ length: 40 }, () => send(slow, undefined, `${RULESETS}/validate`)))
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  expect([...counts.keys()].every((status) => status === 200 || status === 503)).toBe(true)
  expect(counts.get(200)).toBeGreaterThanOrEqual(16)
  for (const { status, headers } of replies) if (status === 503) expect(headers.get('retry-after')).toBe('1')
})

test.each(['/api/v1/eval', '/api/v1/execute/from-yaml', `${RULESETS}/from-yaml/rollback`])(
  '%s takes JSON only',
  async (path) => {
    expect((await send('input: {}', undefined, path)).status).toBe(415)
  },
)

test('the description names the content type', async () => {
  const { paths } = (await server.request('GET', '/api/v1/openapi.json')).body
  for (const path of [RULESETS, `${RULESETS}/validate`])
    expect(Object.keys(paths[path].post.requestBody.content)).toEqual([
      'application/json',
      'application/yaml',
      'application/octet-stream',
    ])
  expect((await server.post(RULESETS, adultCheck())).status).toBe(201)
})
