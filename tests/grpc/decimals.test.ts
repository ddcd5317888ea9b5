import { status } from '@grpc/grpc-js'
import { jsonValue } from '@engine/expression'
import { writeRuleFile } from '@engine/rule-file'
import type { RulesetDocument } from '@engine/ruleset'
import { encodeBinary } from '@engine/signing'
import { expect, test } from 'vitest'
import { JSON_TYPE } from '../http/server.testing.ts'
import { connected } from './connected-client.testing.ts'

/** Decimal rulesets over every interface: digits that no double has arrive and leave. */

const INVOICE = {
  config: { name: 'invoice', entry_step: 'start', numbers: 'decimal' },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'net + tax == 0.3', next_step: 'exact' }],
      default_next: 'other',
    },
    exact: { id: 'exact', type: 'terminal', result: { code: 'EXACT', message: '' } },
    other: {
      id: 'other',
      type: 'terminal',
      result: {
        code: 'OTHER',
        message: '',
        output: [
          ['total', 'net * 1.1'],
          ['third', 'round(net / 3, 15)'],
        ],
      },
    },
  },
}

/** JSON constants of a document, with more digits than a double has. */
const CONSTANTS = `{
  "config": { "name": "constants", "entry_step": "end", "numbers": "decimal", "field_missing": "default", "defaults": { "x": 0.1000000000000000055 } },
  "steps": { "end": { "id": "end", "type": "terminal", "result": { "code": "OK", "message": "", "field": 1e23,
    "output": [["x", "x"], ["literal", { "Literal": 0.1000000000000000055 }]] } } } }`
const CONSTANTS_OUTPUT =
  '"output":{"field":100000000000000000000000,"x":0.1000000000000000055,"literal":0.1000000000000000055}'

test('constants of a document keep their digits as JSON, as YAML and compiled', async () => {
  const { server } = await connected()
  const stored = jsonValue(CONSTANTS) as RulesetDocument
  const forms: readonly (readonly [string, string | Uint8Array])[] = [
    ['application/json', CONSTANTS],
    ['application/yaml', writeRuleFile('.yaml', stored)],
    ['application/octet-stream', encodeBinary(stored)],
  ]
  for (const [type, body] of forms) {
    await server.request('DELETE', '/api/v1/rulesets/constants')
    const reply = await server.request('POST', '/api/v1/rulesets', { body, headers: { 'content-type': type } })
    expect(reply.status).toBe(201)
    expect((await server.post('/api/v1/execute/constants', { input: {} })).text).toContain(CONSTANTS_OUTPUT)
    expect((await server.request('GET', '/api/v1/rulesets/constants')).text).toContain(
      '"Literal":0.1000000000000000055',
    )
  }
})

const SIMPLE = '{"net":0.1,"tax":0.2}'
const LONG = '{"net":1.00000000000000000000001,"tax":0}'
const OUTPUT = '{"total":1.100000000000000000000011,"third":0.333333333333333}'

test('an input and an output of a decimal ruleset keep their digits', async () => {
  const { server, client } = await connected('--debug-mode')
  expect((await server.post('/api/v1/rulesets', INVOICE)).status).toBe(201)
  const send = async (path: string, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    (await server.request('POST', `/api/v1${path}`, { body, headers })).text

  expect(await send('/execute/invoice', `{"input":${SIMPLE}}`)).toContain('"code":"EXACT"')
  expect(await send('/execute/invoice', `{"input":${LONG}}`)).toContain(`"output":${OUTPUT}`)
  expect(await send('/execute/invoice', `{"input":${LONG},"trace":true}`)).toContain(`"output":${OUTPUT}`)
  expect(await send('/execute/invoice', `{"input":${LONG}}`, { ...JSON_TYPE, 'x-engine-report': '1' })).toContain(
    OUTPUT,
  )
  expect(await send('/execute/invoice/batch', `{"inputs":[${SIMPLE},${LONG}]}`)).toContain(OUTPUT)
  expect(
    await send('/execute/invoice/batch', `${SIMPLE}\n${LONG}\n`, { 'content-type': 'application/x-ndjson' }),
  ).toContain(OUTPUT)
  expect(await send('/debug/execute/invoice', `{"input":${LONG}}`)).toContain(OUTPUT)
  const inline = `{"ruleset":${JSON.stringify(INVOICE)},"input":${LONG}}`
  expect(await send('/debug/execute-inline', inline)).toContain(OUTPUT)

  const expression = '{"expression":"a * 3 == 0.3","context":{"a":0.1}'
  expect(await send('/eval', `${expression}}`)).toContain('"result":false')
  expect(await send('/eval', `${expression},"numbers":"decimal"}`)).toContain('"result":true')
  expect(await send('/debug/eval', `${expression},"numbers":"decimal"}`)).toContain('"value":true')
  expect(await send('/eval', `${expression},"numbers":"float"}`)).toContain('/numbers')

  const evaluated = { expression: 'a * 3', context_json: '{"a":0.1000000000000000055}' }
  const evaluate = (more: object) => client.call('Eval', { ...evaluated, ...more })
  expect(await evaluate({})).toMatchObject({ message: { result_json: '0.30000000000000004' } })
  expect(await evaluate({ numbers: 'double' })).toMatchObject({ message: { result_json: '0.30000000000000004' } })
  expect(await evaluate({ numbers: 'decimal' })).toMatchObject({ message: { result_json: '0.3000000000000000165' } })
  expect(await evaluate({ numbers: 'float' })).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('`float`'),
  })

  const execute = await client.call('Execute', { name: 'invoice', input_json: LONG })
  expect(execute).toMatchObject({ message: { code: 'OTHER', output_json: OUTPUT } })
  const batch = await client.call('BatchExecute', { name: 'invoice', inputs_json: [SIMPLE, LONG] })
  expect(JSON.stringify(batch)).toContain(JSON.stringify(OUTPUT).slice(1, -1))
})

test('numbers beyond all bounds cost a refusal or a rounding, never the service', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', INVOICE)
  const decide = (net: string) =>
    server.request('POST', '/api/v1/execute/invoice', { body: `{"input":{"net":${net},"tax":0}}`, headers: JSON_TYPE })

  expect((await decide('1e999999999')).status).toBe(400)
  expect((await decide('9'.repeat(400_000))).status).toBe(400)
  expect((await decide('1e-999999999')).text).toContain('"total":0')
  expect((await decide(`0.${'3'.repeat(400_000)}`)).text).toContain('"third":0.111111111111111')
  expect((await decide('1e308')).text).toContain(`"total":11${'0'.repeat(307)}`)
  expect((await decide('1.7e308')).body.code).toBe('INTERNAL_ERROR')
  expect((await decide('1')).status).toBe(200)
})

test('a ruleset that computes with doubles answers as before', async () => {
  const { server } = await connected()
  const { numbers: _, ...config } = INVOICE.config
  await server.post('/api/v1/rulesets', { ...INVOICE, config: { ...config, name: 'plain' } })
  const plain = async (input: string) =>
    (await server.request('POST', '/api/v1/execute/plain', { body: `{"input":${input}}`, headers: JSON_TYPE })).text
  expect(await plain(SIMPLE)).toContain('"code":"OTHER"')
  expect(await plain(LONG)).toContain('"output":{"total":1.1,')
})
