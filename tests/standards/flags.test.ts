import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { endless, JSON_TYPE, startServer, type TestServer } from '../http/server.testing.ts'

const PATH = '/ofrep/v1/evaluate/flags'
const folder = mkdtempSync(join(tmpdir(), 'engine-flags-'))
const file = (name: string, content: unknown) => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const ruleset = (
  name: string,
  result: object,
  rest: { branches?: object[]; config?: object; before?: object[] } = {},
) => ({
  config: { name, version: '2.1.0', entry_step: 'check', ...rest.config },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: rest.branches ?? [{ condition: 'tier == "gold"', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result },
    no: { id: 'no', type: 'terminal', result: { code: 'NO', message: 'otherwise', output: [['percent', '0']] } },
  },
})

const OUTPUT = {
  code: 'GOLD',
  message: 'yes',
  output: [
    ['percent', '15'],
    ['share', '12.5'],
    ['on', 'true'],
    ['name', '"gold"'],
    ['list', '[1, 2]'],
    ['nothing', 'null'],
    ['nested', '{"a": {"b": 7}}'],
    ['who', 'targetingKey'],
    ['user', 'user.id'],
  ],
}

const RULESETS = [
  ruleset('discount', OUTPUT),
  ruleset('plain', { code: 'ON', message: 'it is on' }, { branches: [{ condition: 'true', next_step: 'yes' }] }),
  ruleset('valued', {
    code: 'V',
    message: '',
    output: [
      ['value', '"this"'],
      ['other', '1'],
    ],
  }),
  ruleset('failing', OUTPUT, { branches: [{ condition: '1 / 0 > tier', next_step: 'yes' }] }),
  ruleset('strict', OUTPUT, { config: { field_missing: 'strict' } }),
  ruleset('timed', OUTPUT, { branches: [{ condition: 'now() != ""', next_step: 'yes' }] }),
  ruleset(
    'exact',
    { code: 'X', message: '', output: [['value', 'amount + 0.2']] },
    {
      branches: [{ condition: 'true', next_step: 'yes' }],
      config: { numbers: 'decimal' },
    },
  ),
  endless('slow', { timeout_ms: 30 }),
]

const FLAGS = {
  percent: { ruleset: 'discount', value: 'output.percent', type: 'integer' },
  'percent.float': { ruleset: 'discount', value: 'output.percent', type: 'float' },
  share: { ruleset: 'discount', value: 'output.share', type: 'float' },
  fraction: { ruleset: 'discount', value: 'output.share', type: 'integer' },
  on: { ruleset: 'discount', value: 'output.on', type: 'boolean' },
  enabled: { ruleset: 'discount', on: ['GOLD'] },
  code: { ruleset: 'discount', value: 'code' },
  message: { ruleset: 'discount', value: 'message', type: 'string' },
  list: { ruleset: 'discount', value: 'output.list', type: 'object' },
  nested: { ruleset: 'discount', value: 'output.nested.a.b' },
  nothing: { ruleset: 'discount', value: 'output.nothing' },
  absent: { ruleset: 'discount', value: 'output.other' },
  whole: { ruleset: 'discount', value: 'output', type: 'object' },
  who: { ruleset: 'discount', value: 'output.who' },
  user: { ruleset: 'discount', value: 'output.user', targeting: 'user.id' },
  gone: { ruleset: 'not-stored' },
}

const GOLD = { context: { tier: 'gold', targetingKey: 'ada', user: { name: 'Ada' } } }

async function served(...options: readonly string[]): Promise<TestServer> {
  const own = await startServer(...options)
  for (const one of RULESETS) expect((await own.post('/api/v1/rulesets', one)).status).toBe(201)
  return own
}

let server: TestServer
beforeAll(async () => {
  server = await served('--ofrep', 'all', '--ofrep-config', file('flags.json', { flags: FLAGS }))
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

describe('the value of a flag', () => {
  test.each<[key: string, value: unknown, text?: string]>([
    ['percent', 15, '"value":15,'],
    ['percent.float', 15, '"value":15.0,'],
    ['share', 12.5],
    ['on', true],
    ['enabled', true],
    ['code', 'GOLD'],
    ['message', 'yes'],
    ['list', [1, 2]],
    ['nested', 7],
    ['who', 'ada'],
    ['user', 'ada'],
    ['valued', 'this'],
    ['plain', 'ON'],
  ])('%s', async (key, value, text = '') => {
    const reply = await server.post(`${PATH}/${key}`, GOLD)
    expect({ status: reply.status, body: reply.body }).toEqual({
      status: 200,
      body: {
        key,
        value,
        reason: key === 'plain' ? 'STATIC' : 'TARGETING_MATCH',
        variant: expect.any(String),
        metadata: { ruleset: expect.any(String), version: '2.1.0', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    })
    expect(reply.text).toContain(text)
  })

  test('the whole output, for a flag that names it and for one that names nothing', async () => {
    const { body } = await server.post(`${PATH}/whole`, GOLD)
    expect(body.value).toMatchObject({ percent: 15, name: 'gold' })
    expect((await server.post(`${PATH}/discount`, GOLD)).body.value).toEqual(body.value)
  })

  test('the digits of decimals', async () => {
    const { text } = await server.post(`${PATH}/exact`, '{"context":{"amount":0.10000000000000000001}}')
    expect(text).toContain('"value":0.30000000000000000001,')
  })

  test.each(['{}', '{"context":{}}', '{"context":{},"other":1}'])('of the context %s', async (body) => {
    expect((await server.post(`${PATH}/code`, body)).body).toMatchObject({ value: 'NO', variant: 'NO' })
  })
})

describe('an evaluation that fails', () => {
  test.each<[what: string, key: string, body: unknown, status: number, code: string, details: string]>([
    ['an unknown flag', 'nope', GOLD, 404, 'FLAG_NOT_FOUND', 'there is no flag `nope`'],
    ['an invalid key', 'a%20b%2Fc', GOLD, 404, 'FLAG_NOT_FOUND', 'there is no flag `a b/c`'],
    ['a prototype member', '__proto__', GOLD, 404, 'FLAG_NOT_FOUND', 'there is no flag'],
    ['a ruleset that is not stored', 'gone', GOLD, 404, 'FLAG_NOT_FOUND', '`not-stored`, which is not stored'],
    ['not JSON', 'code', '{"context":', 400, 'PARSE_ERROR', 'cannot be read as JSON'],
    ['an empty body', 'code', '', 400, 'PARSE_ERROR', 'cannot be read as JSON'],
    ['a list', 'code', [], 400, 'PARSE_ERROR', 'must be an object'],
    ['too deep', 'code', '['.repeat(1000), 400, 'PARSE_ERROR', 'cannot be read as JSON'],
    ['a context that is a list', 'code', { context: [1] }, 400, 'INVALID_CONTEXT', '`/context` must be an object'],
    ['a context that is null', 'code', { context: null }, 400, 'INVALID_CONTEXT', 'found `null`'],
    [
      'a targeting key that is a number',
      'code',
      { context: { targetingKey: 7 } },
      400,
      'INVALID_CONTEXT',
      'must be a string',
    ],
    ['no targeting key', 'user', { context: {} }, 400, 'TARGETING_KEY_MISSING', '`context.targetingKey` is missing'],
    ['a missing field in a strict ruleset', 'strict', { context: {} }, 400, 'INVALID_CONTEXT', 'tier'],
    ['rules that fail', 'failing', GOLD, 500, 'GENERAL', 'zero'],
    ['rules that take too long', 'slow', GOLD, 500, 'GENERAL', '30 ms'],
    ['a fraction', 'fraction', GOLD, 500, 'GENERAL', 'no value of type `integer`: `output.share` is `12.5`'],
    ['null', 'nothing', GOLD, 500, 'GENERAL', '`output.nothing` is `null`'],
    ['an absent member', 'absent', GOLD, 500, 'GENERAL', '`output.other` is nothing'],
  ])('%s', async (_, key, body, status, errorCode, details) => {
    const reply = await server.post(`${PATH}/${key}`, body)
    expect({ status: reply.status, ...reply.body }).toEqual({
      status,
      key: decodeURIComponent(key),
      errorCode,
      errorDetails: expect.stringContaining(details),
    })
  })

  test.each([
    ['text/plain', undefined],
    ['application/json', 'br'],
  ])('content type %s, coding %s', async (type, coding) => {
    const headers = { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) }
    const reply = await server.request('POST', `${PATH}/code`, { body: '{}', headers })
    expect([reply.status, reply.body]).toEqual([
      400,
      { key: 'code', errorCode: 'PARSE_ERROR', errorDetails: expect.any(String) },
    ])
  })

  test.each(['GET', 'PUT', 'DELETE'])('the method %s', async (method) => {
    const reply = await server.request(method, `${PATH}/code`)
    expect([reply.status, reply.headers.get('allow'), reply.body.errorCode]).toEqual([400, 'POST', 'GENERAL'])
  })

  test('a body that is too large', async () => {
    const reply = await server.post(`${PATH}/code`, ' '.repeat(10_485_761))
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'PARSE_ERROR'])
  })
})

describe('all flags', () => {
  const all = (body: unknown, headers: Record<string, string> = {}) => server.post(PATH, body, headers)

  test('are those of the list and all rulesets, each with its value or its error', async () => {
    const { status, body, headers } = await all(GOLD)
    expect(status).toBe(200)
    expect(headers.get('etag')).toMatch(/^"[\w-]{43}(?:-gzip)?"$/)
    expect(headers.get('cache-control')).toBe('no-store')
    const keys = [...new Set([...Object.keys(FLAGS), ...RULESETS.map(({ config }) => config.name)])].sort()
    expect(body.flags.map(({ key }: { key: string }) => key)).toEqual(keys)
    const flag = (key: string) => body.flags.find((one: { key: string }) => one.key === key)
    expect(flag('percent')).toMatchObject({ value: 15, variant: 'GOLD' })
    expect(flag('failing')).toEqual({ key: 'failing', errorCode: 'GENERAL', errorDetails: expect.any(String) })
    expect(flag('gone')).toEqual({ key: 'gone', errorCode: 'FLAG_NOT_FOUND', errorDetails: expect.any(String) })
    expect(body.metadata).toEqual({ version: expect.any(String) })
  })

  test.each([
    ['a context that is a list', { context: [] }, 'INVALID_CONTEXT'],
    ['not JSON', 'x', 'PARSE_ERROR'],
  ])('%s is refused', async (_, body, errorCode) => {
    const reply = await all(body)
    expect([reply.status, reply.body]).toEqual([400, { errorCode, errorDetails: expect.any(String) }])
  })
})

describe('the entity tag of all flags', () => {
  const listed = async (flags: object) => {
    const own = await served('--ofrep', 'list', '--ofrep-config', file('listed.json', { flags }))
    onTestFinished(() => own.stop())
    const tagOf = async (context: object, tag?: string) => {
      const reply = await own.post(PATH, { context }, tag === undefined ? {} : { 'if-none-match': tag })
      return { status: reply.status, tag: reply.headers.get('etag') ?? '', text: reply.text }
    }
    return { own, tagOf }
  }

  test('is unchanged for the same content and context, without any execution', async () => {
    const { own, tagOf } = await listed({ code: FLAGS.code, share: FLAGS.share })
    const first = await tagOf({ tier: 'gold', age: 7 })
    const before = await executions(own)
    expect(await tagOf({ age: 7, tier: 'gold' }, `W/"x", ${first.tag}`)).toEqual({
      status: 304,
      tag: first.tag,
      text: '',
    })
    expect(await executions(own)).toBe(before)
    expect((await tagOf({ tier: 'gold', age: 8 }, first.tag)).status).toBe(200)
    await own.post('/api/v1/rulesets', ruleset('discount', { ...OUTPUT, code: 'OTHER' }))
    const changed = await tagOf({ tier: 'gold', age: 7 }, first.tag)
    expect([changed.status, changed.tag === first.tag]).toEqual([200, false])
    expect(changed.text).toContain('OTHER')
  })

  test('depends on the answer where a ruleset reads the time', async () => {
    const { own, tagOf } = await listed({ timed: { ruleset: 'timed', value: 'code' } })
    const first = await tagOf({ tier: 'gold' })
    const before = await executions(own)
    // Another context with the same answer.
    expect((await tagOf({ tier: 'silver' }, first.tag)).status).toBe(304)
    expect(await executions(own)).toBe(before + 1)
  })

  test('follows rulesets that a ruleset calls', async () => {
    const { own, tagOf } = await listed({ outer: { ruleset: 'outer', value: 'code' } })
    await own.post('/api/v1/rulesets', {
      config: { name: 'outer', version: '1.0.0', entry_step: 'call' },
      steps: {
        call: {
          id: 'call',
          type: 'action',
          actions: [{ action: 'call_ruleset', ruleset_name: 'discount', result_variable: 'r' }],
          next_step: 'end',
        },
        end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
      },
    })
    const first = await tagOf({})
    expect((await tagOf({}, first.tag)).status).toBe(304)
    await own.post('/api/v1/rulesets', ruleset('discount', { ...OUTPUT, code: 'OTHER' }))
    expect((await tagOf({}, first.tag)).status).toBe(200)
  })
})

/** Executions that the metrics have counted. */
async function executions(counted: TestServer): Promise<number> {
  const { text } = await counted.request('GET', '/metrics')
  const counts = text.matchAll(/^engine_executions_total\{[^}]*\} (\d+)$/gm)
  return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}

describe('the list of flags', () => {
  test('without a file every ruleset; off by default', async () => {
    const [all, off] = [await served('--ofrep', 'all'), await served()]
    onTestFinished(async () => void (await Promise.all([all.stop(), off.stop()])))
    expect((await all.post(`${PATH}/discount`, GOLD)).status).toBe(200)
    expect((await all.post(`${PATH}/percent`, GOLD)).status).toBe(404)
    expect((await off.post(`${PATH}/discount`, GOLD)).status).toBe(404)
  })

  test('with a list no others, and a default for none of them', async () => {
    const config = file('few.json', { flags: { enabled: FLAGS.enabled }, default: { value: 'code' } })
    const own = await served('--ofrep', 'list', '--ofrep-config', config)
    onTestFinished(() => own.stop())
    expect((await own.post(`${PATH}/discount`, GOLD)).status).toBe(404)
    expect((await own.post(PATH, GOLD)).body.flags).toHaveLength(1)
  })

  test('the default form is that of flags that are not listed', async () => {
    const own = await served('--ofrep', 'all', '--ofrep-config', file('default.json', { default: { value: 'code' } }))
    onTestFinished(() => own.stop())
    expect((await own.post(`${PATH}/discount`, GOLD)).body.value).toBe('GOLD')
  })
})

test('tokens, by either header; without one 401, without the scope 403', async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const tokens = join(folder, 'tokens')
  writeFileSync(
    tokens,
    `app:execute:${digest('app-token')}\nreader:read:${digest('read-token')}\nw:write:${digest('w-token')}\n`,
  )
  const own = await startServer('--ofrep', 'all', '--api-tokens-file', tokens)
  onTestFinished(() => own.stop())
  await own.post('/api/v1/rulesets', RULESETS[0], { authorization: 'Bearer w-token' })
  const status = async (headers: Record<string, string>) => {
    const reply = await own.request('POST', `${PATH}/discount`, { body: '{}', headers: { ...JSON_TYPE, ...headers } })
    return [reply.status, reply.body.errorCode, reply.headers.get('www-authenticate')]
  }
  expect(await status({ authorization: 'Bearer app-token' })).toEqual([200, undefined, null])
  expect(await status({ 'x-api-key': 'app-token' })).toEqual([200, undefined, null])
  expect(await status({})).toEqual([401, 'GENERAL', 'Bearer'])
  expect(await status({ authorization: 'Bearer read-token' })).toEqual([403, 'GENERAL', null])
})
