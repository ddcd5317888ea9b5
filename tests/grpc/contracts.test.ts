import { status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { JSON_TYPE } from '../http/server.testing.ts'
import { connected } from './connected-client.testing.ts'

/** Inputs that break the contract of a ruleset, over every interface. */

const credit = (mode: string) => ({
  config: {
    name: mode,
    contract: {
      mode,
      contract: {
        name: 'credit',
        version: '1.2.0',
        outputs: [],
        input: {
          fields: [
            { name: 'applicant.age', type: 'integer', required: true },
            { name: 'amount', type: 'number', required: true, minimum: 1 },
          ],
        },
      },
    },
  },
  steps: { start: { id: 'start', type: 'terminal', result: { code: 'OK', message: '' } } },
})

const BROKEN = { amount: 0.5 }
const VALID = { amount: 5, applicant: { age: 30 } }
const MESSAGE = 'the input breaks the contract credit 1.2.0 in 2 places'
const DETAILS = [
  {
    path: '/input/applicant/age',
    code: 'required',
    message: 'expected an integer, found nothing',
    expected: 'an integer',
    found: 'nothing',
  },
  {
    path: '/input/amount',
    code: 'range',
    message: 'expected at least 1, found 0.5',
    expected: 'at least 1',
    found: '0.5',
  },
]

test('an enforced contract refuses an input with everything that is wrong with it', async () => {
  const { server, client } = await connected()
  expect((await server.post('/api/v1/rulesets', credit('enforce'))).status).toBe(201)

  const single = await server.post('/api/v1/execute/enforce', { input: BROKEN })
  expect(single.status).toBe(400)
  expect(single.body).toEqual({ error: MESSAGE, code: 'INVALID_INPUT', details: DETAILS })
  expect((await server.post('/api/v1/execute/enforce', { input: VALID })).body.code).toBe('OK')

  const batch = await server.post('/api/v1/execute/enforce/batch', { inputs: [BROKEN, VALID] })
  expect(batch.body.summary).toMatchObject({ total: 2, success: 1, failed: 1 })
  expect(JSON.stringify(batch.body.results)).toContain(MESSAGE)
  const lines = await server.request('POST', '/api/v1/execute/enforce/batch', {
    body: `${JSON.stringify(VALID)}\n${JSON.stringify(BROKEN)}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(lines.text.split('\n')[0]).toContain('"code":"OK"')
  expect(lines.text.split('\n')[1]).toContain(MESSAGE)

  const reported = await server.request('POST', '/api/v1/execute/enforce', {
    body: JSON.stringify({ input: BROKEN }),
    headers: { ...JSON_TYPE, 'x-engine-report': '1' },
  })
  expect([reported.status, reported.body.details]).toEqual([400, DETAILS])
  // A proxy counts it as an answer of this content.
  expect(reported.headers.get('x-ruleset-digest')).toMatch(/^[0-9a-f]{64}$/)
  expect(reported.headers.get('x-result-code')).toBeNull()

  const call = await client.call('Execute', { name: 'enforce', input_json: JSON.stringify(BROKEN) })
  expect(call).toMatchObject({ code: status.INVALID_ARGUMENT, details: MESSAGE })

  const { text } = await server.request('GET', '/metrics')
  expect(text).toContain('engine_contract_violations_total{ruleset="enforce",mode="enforce"} 10')
})

test('a contract that warns counts in a header, one that is off does nothing', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', credit('warn'))
  await server.post('/api/v1/rulesets', credit('off'))
  const headerOf = async (name: string, input: object, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await server.request('POST', `/api/v1/execute/${name}`, {
      body: JSON.stringify({ input }),
      headers: { ...JSON_TYPE, ...headers },
    })
    expect(reply.body.code).toBe('OK')
    return reply.headers.get('x-contract-violations')
  }
  expect(await headerOf('warn', BROKEN)).toBe('2')
  expect(await headerOf('warn', BROKEN, { 'x-engine-report': '1' })).toBe('2')
  expect(await headerOf('warn', VALID)).toBeNull()
  expect(await headerOf('off', BROKEN)).toBeNull()
  const { text } = await server.request('GET', '/metrics')
  expect(text).toContain('engine_contract_violations_total{ruleset="warn",mode="warn"} 4')
  expect(text).not.toContain('{ruleset="off",mode=')
})

test('defaults of the contract count over every interface', async () => {
  const { server, client } = await connected()
  const base = credit('enforce')
  const fields = [{ name: 'rate', type: 'decimal', required: true, default: 0.1 }]
  const { contract } = base.config.contract
  await server.post('/api/v1/rulesets', {
    config: {
      name: 'rates',
      numbers: 'decimal',
      contract: { mode: 'enforce', contract: { ...contract, input: { fields } } },
    },
    steps: {
      start: { id: 'start', type: 'terminal', result: { code: 'OK', message: '', output: [['rate', 'rate + 0.2']] } },
    },
  })
  expect((await server.post('/api/v1/execute/rates', { input: {} })).body.output).toEqual({ rate: 0.3 })
  const batch = await server.post('/api/v1/execute/rates/batch', { inputs: [{}, { rate: 1 }] })
  const outputs = batch.body.results.map(({ output }: { readonly output: unknown }) => output)
  expect(outputs).toEqual([{ rate: 0.3 }, { rate: 1.2 }])
  const lines = await server.request('POST', '/api/v1/execute/rates/batch', {
    body: '{}\n{"rate": 2}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  })
  expect(lines.text).toContain('"rate":0.3')
  expect(lines.text).toContain('"rate":2.2')
  const call = await client.call('Execute', { name: 'rates', input_json: '{}' })
  expect(JSON.stringify(call)).toContain('0.3')
})

test('gRPC counts the violations of a contract that warns, in single decisions, batches and streams', async () => {
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', credit('warn'))
  const [broken, valid] = [JSON.stringify(BROKEN), JSON.stringify(VALID)]
  expect(await client.call('Execute', { name: 'warn', input_json: broken })).toMatchObject({
    message: { code: 'OK', violations: 2 },
  })
  expect(await client.call('Execute', { name: 'warn', input_json: valid })).toMatchObject({
    message: { violations: 0 },
  })
  expect(await client.call('BatchExecute', { name: 'warn', inputs_json: [valid, broken] })).toMatchObject({
    message: { results: [{ violations: 0 }, { violations: 2 }] },
  })
})

describe('--contracts', () => {
  test.each([
    ['warn', '2'],
    ['off', null],
  ])('%s decides inputs that an enforced contract refuses, and the health record states it', async (mode, header) => {
    const { server, client } = await connected('--contracts', mode)
    for (const own of ['enforce', 'warn', 'off']) await server.post('/api/v1/rulesets', credit(own))
    const headerOf = async (name: string) => {
      const reply = await server.post(`/api/v1/execute/${name}`, { input: BROKEN })
      expect([reply.status, reply.body['code']]).toEqual([200, 'OK'])
      return reply.headers.get('x-contract-violations')
    }
    expect(await headerOf('enforce')).toBe(header)
    expect(await headerOf('warn')).toBe(header)
    expect(await headerOf('off')).toBeNull()
    expect(await client.call('Execute', { name: 'enforce', input_json: JSON.stringify(BROKEN) })).toMatchObject({
      message: { code: 'OK', violations: Number(header) },
    })
    expect((await server.request('GET', '/health')).body['contracts']).toBe(mode)
  })

  test('is absent from the health record where each ruleset decides', async () => {
    const { server } = await connected()
    expect((await server.request('GET', '/health')).body).not.toHaveProperty('contracts')
  })
})

test('the log names paths of a sample of the inputs that a contract warns of, and no values', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', credit('warn'))
  for (let count = 0; count < 20; count++) await server.post('/api/v1/execute/warn', { input: { amount: 0.125 } })
  const lines = server.loggedFields.filter((_, index) => server.logged[index]?.includes('breaks the contract'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThan(5)
  const paths = ['/input/applicant/age required', '/input/amount range']
  expect(lines[0]).toEqual({ ruleset: 'warn', inputs: 1, violations: 2, paths })
})
