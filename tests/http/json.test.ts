import { encodeBinary } from '@engine/signing'
import { crc32, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from './server.testing.ts'

/** What JSON texts do to a running server: keys with escapes, numbers, texts that are long or hostile. */

let server: TestServer
beforeAll(async () => {
  // A busy machine takes long for the largest bodies.
  server = await startServer('--debug-mode', '--request-timeout-secs', '170')
})
afterAll(() => server.stop())

const send = (method: string, path: string, body: string) =>
  server.request(method, `/api/v1${path}`, body === '' ? {} : { body, headers: JSON_TYPE })

/** A ruleset that answers `code`, with a terminal `fields` of JSON text. */
const terminal = (name: string, fields: string) =>
  `{"config":{"name":"${name}"},"steps":{"start":{"id":"start","type":"terminal","result":{"code":"A","message":"m",${fields}}}}}`

describe('a key with an escape is itself, whatever came before it', () => {
  test('in an input, after a context of another request', async () => {
    const rule = adultCheck({ config: { name: 'slash' } }) as { steps: { [key: string]: unknown } }
    rule.steps['start'] = {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'x["a/b"] == 1', next_step: 'yes' }],
      default_next: 'no',
    }
    for (const code of ['yes', 'no'])
      rule.steps[code] = { id: code, type: 'terminal', result: { code: code.toUpperCase(), message: '' } }
    expect(
      (await server.post('/api/v1/rulesets', { ...rule, config: { name: 'slash', entry_step: 'start' } })).status,
    ).toBe(201)
    const ask = () => send('POST', '/execute/slash', '{"input":{"x":{"customer":1,"a\\/b":1}}}')
    expect((await ask()).body.code).toBe('YES')
    await send('POST', '/eval', '{"expression":"1","context":{"x":{"customer":1,"a\\\\/":1}}}')
    expect((await ask()).body.code).toBe('YES')
  })

  test('in a stored ruleset', async () => {
    const reply = await send('POST', '/rulesets', terminal('keys', '"output":[{"h":1,"\\\\":2},{"h":1,"\\"":2}]'))
    expect(reply.status).toBe(201)
    const { text } = await send('GET', '/rulesets/keys', '')
    expect(text).toContain(String.raw`"output":[{"h":1,"\\":2},{"h":1,"\"":2}]`)
  })

  test('in an NDJSON line and in what an expression reads', async () => {
    const text = String.raw`[{\"h\":1,\"\\\\\":2},{\"h\":1,\"\\\"\":2}]`
    const { body } = await send(
      'POST',
      '/eval',
      `{"expression":"map(json_unmarshal(t), o => keys(o)[1])","context":{"t":"${text}"}}`,
    )
    expect(body.result).toEqual(['\\', '"'])
  })
})

describe('a number has one meaning', () => {
  test.each([
    ['1e20 + 1', '1e+20', '(1e+20 + 1)'],
    ['100000000000000000000 + 1', '100000000000000000001', '(100000000000000000000 + 1)'],
    ['1e16 + 1', '1e+16', '(1e+16 + 1)'],
  ])('%s', async (expression, result, parsed) => {
    const { text, body } = await server.post('/api/v1/eval', { expression })
    expect(body.parsed).toBe(parsed)
    const again = await server.post('/api/v1/eval', { expression: body.parsed })
    expect(again.text).toBe(text)
    expect(text).toContain(`"result":${result}`)
  })

  test('a double stays one in a stored ruleset, an exact integer as well', async () => {
    await send('POST', '/rulesets', terminal('doubles', '"output":{"a":1e20,"b":100000000000000000001}'))
    expect((await send('GET', '/rulesets/doubles', '')).text).toContain('{"a":1e+20,"b":100000000000000000001}')
    expect((await send('POST', '/execute/doubles', '{"input":{}}')).text).toContain(
      '{"a":1e+20,"b":100000000000000000001}',
    )
  })

  test.each([
    ['POST', '/rulesets/doubles/rollback', 'seq'],
    ['PUT', '/config/audit-sample-rate', 'sample_rate'],
  ])('%s %s: `1e16` and all its digits get one answer', async (method, path, field) => {
    const replies = await Promise.all(
      ['1e16', '10000000000000000'].map((number) => send(method, path, `{"${field}":${number}}`)),
    )
    expect(replies[0]?.status).toBe(400)
    expect(replies[1]?.text).toBe(replies[0]?.text)
  })
})

/** `.engine` bytes around any text. */
function compiled(text: string): Uint8Array {
  const whole = Buffer.from(encodeBinary({ config: { name: 'x' } }))
  const payload = zstdCompressSync(Buffer.from(text))
  whole.writeUInt32LE(crc32(payload), 6)
  whole.writeUInt32LE(payload.length, 10)
  return Buffer.concat([whole.subarray(0, 14), payload])
}

describe('a long text is answered, and right', () => {
  const digits = '1'.repeat(5_000_000)
  test.each([
    ['digits in a context', '/eval', `{"expression":"1","context":{"a":0.${digits}}}`, 200],
    ['digits in a text', '/eval', `{"expression":"len(a)","context":{"a":"0.${digits}"}}`, 200],
    ['a large list, given back', '/eval', `{"expression":"a","context":{"a":[${'[],'.repeat(1_000_000)}1]}}`, 200],
    [
      'a large list, broken at its end',
      '/eval',
      `{"expression":"a","context":{"a":[${'[],'.repeat(1_000_000)}]}}`,
      400,
    ],
    ['a large input', '/execute/doubles', `{"input":{"a":[${'{},'.repeat(1_000_000)}1]}}`, 200],
    [
      'many unknown members',
      '/rulesets',
      terminal('x', '"a":1').replace('{"name"', `{${many(90_000, 'k')},"name"`),
      201,
    ],
    ['too many members', '/rulesets', terminal('x', '"a":1').replace('{"name"', `{${many(110_000, 'k')},"name"`), 400],
    ['too many values given as they are', '/rulesets', terminal('x', `"output":{"a":[${'1,'.repeat(100_001)}1]}`), 400],
    [
      'too many values of no meaning',
      '/rulesets',
      `{"x":[${'[],'.repeat(1_000_001)}1],${terminal('x', '"a":1').slice(1)}`,
      400,
    ],
  ])('%s', async (_name, path, body, status) => {
    const reply = await send('POST', path, body)
    expect([reply.status, reply.text.slice(0, 300)]).toEqual([status, expect.any(String)])
    if (status === 200 && body.includes('"expression":"a"')) expect(reply.text).toContain('[[],[],[]')
  })

  test.each([
    [`{"a":0.${'1'.repeat(1_000_000)}}`, 'the field `config` is missing'],
    [`{"a":"${'x'.repeat(20_000_000)}"}`, 'expands to more than 10485760 bytes'],
  ])('a compiled ruleset of a few bytes %#', async (text, message) => {
    const body = compiled(text)
    expect(body.length).toBeLessThan(2000)
    const headers = { 'content-type': 'application/octet-stream' }
    const reply = await server.request('POST', '/api/v1/rulesets', { body, headers })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(message)])
  })

  test('a batch answers as many long results as can be sent; from there on they fail', async () => {
    await send('POST', '/rulesets', terminal('long', `"output":"${'x'.repeat(1_000_000)}"`))
    const reply = await server.post('/api/v1/execute/long/batch', { inputs: Array.from({ length: 100 }, () => ({})) })
    const { summary, results } = reply.body as {
      readonly summary: object
      readonly results: readonly { readonly error?: string }[]
    }
    expect([reply.status, summary]).toEqual([200, expect.objectContaining({ total: 100, success: 50, failed: 50 })])
    expect(results.at(-1)?.error).toContain('send fewer inputs per request')
  })
})

function many(count: number, prefix: string): string {
  return Array.from({ length: count }, (_, index) => `"${prefix}${index}":0`).join()
}
