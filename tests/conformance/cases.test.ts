import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANY } from '../../conformance/reference/value.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { byReference } from './expressions.testing.ts'
import {
  type ConformanceData,
  decidedOtherwise,
  decisionOfCase,
  evaluatedOtherwise,
  type ExpressionCase,
  isAs,
  outcomeOfCase,
  type RulesetCase,
  settingOf,
} from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'
import * as rulesets from './rulesets.testing.ts'
import { NOW, byProduct, programsOf, zeroless } from './product.testing.ts'

/** Every implementation is held to the cases of `conformance/`. */

const EXPRESSIONS = readData<ConformanceData<ExpressionCase>>('expressions').cases
const RULESETS = readData<ConformanceData<RulesetCase>>('rulesets').cases
const OTHERS: ReadonlyMap<string, Value> = new Map([['other', rulesets.OTHER]])

test('there are at least 2,000 cases', () => {
  const inputs = RULESETS.reduce((sum, one) => sum + one.inputs.length, 0)
  expect(EXPRESSIONS.length + inputs).toBeGreaterThanOrEqual(2000)
})

describe('expressions', () => {
  test('by the second implementation', () => {
    expect(evaluatedOtherwise(EXPRESSIONS, (one) => [byReference(one.expression, settingOf(one))])).toEqual([])
  })

  test('by the interpreter and by generated code', () => {
    expect(evaluatedOtherwise(EXPRESSIONS, (one) => byProduct(one.expression, settingOf(one)))).toEqual([])
  })
})

describe('rulesets', () => {
  test('by the second implementation', () => {
    for (const { ruleset, inputs } of RULESETS) {
      const decide = (input: Value) => rulesets.byReference(ruleset, input, OTHERS)
      expect(decidedOtherwise([['reference', decide]], inputs)).toEqual([])
    }
  })

  test('by the interpreter, by generated code, and without an index of branches', () => {
    for (const { ruleset, inputs } of RULESETS)
      expect(decidedOtherwise(programsOf(ruleset, OTHERS), inputs)).toEqual([])
  })
})

describe('a server', () => {
  let server: TestServer
  let client: TestClient
  beforeAll(async () => {
    server = await startServer('--grpc-addr', '127.0.0.1:0')
    client = engineClient(server.grpc)
    await server.post('/api/v1/rulesets', rulesets.OTHER)
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  const post = async (path: string, body: Value) => {
    const { status, text } = await server.post(path, stringifyJson(body))
    const parsed = parseJson(text, { duplicateKeys: 'refuse' })
    return {
      status,
      body: (parsed.kind === 'parsed' ? parsed.value : null) as { readonly [name: string]: Value } | null,
    }
  }

  test('evaluates the expressions over HTTP and gRPC', async () => {
    const cases = EXPRESSIONS.filter(
      ({ field_missing, expression }) =>
        field_missing === 'lenient' && !/\$[A-Za-z_]/.test(expression) && rulesets.isStorable(expression),
    )
    expect(cases.length).toBeGreaterThan(200)
    for (const one of cases) {
      const { status, body } = await post('/api/v1/eval', { expression: one.expression, context: one.input })
      const found = status === 200 ? stringifyJson(body?.['result'] ?? null) : `error ${status}`
      const wanted = one.error === undefined ? outcomeOfCase(one) : `error ${ANY}`
      expect([one.expression, isAs(wanted, zeroless(found)) ? wanted : found]).toEqual([one.expression, wanted])
    }
    for (const one of cases.slice(0, 100)) {
      const request = { expression: one.expression, context_json: stringifyJson(one.input) }
      const reply = (await client.call('Eval', request)) as { readonly message?: { readonly result_json: string } }
      const found = reply.message === undefined ? 'error' : zeroless(reply.message.result_json)
      expect([one.expression, found]).toEqual([one.expression, one.error === undefined ? outcomeOfCase(one) : 'error'])
    }
  })

  test('decides the rulesets over HTTP', async () => {
    const now = new Date(NOW).toISOString()
    for (const { ruleset, inputs } of RULESETS) {
      expect((await post('/api/v1/rulesets', ruleset)).status).toBeLessThan(300)
      for (const one of inputs) {
        // What depends on the time is another decision now.
        if (stringifyJson(one.decision ?? null).includes(now) || stringifyJson(ruleset).includes('now_millis')) continue
        const { status, body } = await post('/api/v1/execute/main', { input: one.input })
        const { code = null, message = null, output = null } = body ?? {}
        const found = status === 200 ? zeroless(stringifyJson({ code, message, output })) : 'error'
        expect(found).toBe(decisionOfCase(one))
      }
    }
  })
})
