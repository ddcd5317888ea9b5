import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANY } from '../../conformance/reference/value.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { byProduct, byReference, NOW, type Setting } from './expressions.testing.ts'
import * as rulesets from './rulesets.testing.ts'

/** Every implementation is held to the cases of `conformance/`. */

interface ExpressionCase {
  readonly expression: string
  readonly input: Value
  readonly variables: { readonly [name: string]: Value }
  readonly field_missing: Setting['missing']
  readonly defaults?: { readonly [path: string]: Value }
  readonly value?: Value
  readonly error?: string
}

interface RulesetCase {
  readonly ruleset: Value
  readonly inputs: readonly { readonly input: Value; readonly decision?: Value; readonly error?: true }[]
}

function casesIn(name: string): readonly unknown[] {
  const parsed = parseJson(readFileSync(join(import.meta.dirname, `../../conformance/${name}.json`), 'utf8'), {
    duplicateKeys: 'refuse',
  })
  if (parsed.kind !== 'parsed') throw new Error(`conformance/${name}.json is no JSON`)
  return (parsed.value as unknown as { readonly cases: readonly unknown[] }).cases
}

const EXPRESSIONS = casesIn('expressions') as readonly ExpressionCase[]
const RULESETS = casesIn('rulesets') as readonly RulesetCase[]
const OTHERS: ReadonlyMap<string, Value> = new Map([['other', rulesets.OTHER]])

const settingOf = ({ input, variables, field_missing, defaults = {} }: ExpressionCase): Setting => ({
  input,
  variables,
  missing: field_missing,
  defaults,
})
const expectedOf = ({ value, error }: ExpressionCase) =>
  error === undefined ? stringifyJson(value ?? null) : `error ${error}`
const isAs = (expected: string, found: string | undefined) =>
  expected === `error ${ANY}` ? found?.startsWith('error ') === true : found === expected
const different = (cases: readonly ExpressionCase[], found: (one: ExpressionCase) => readonly (string | undefined)[]) =>
  cases.flatMap((one) => {
    const wrong = found(one).find((text) => !isAs(expectedOf(one), text))
    return wrong === undefined ? [] : [`${one.expression}: ${wrong}, expected ${expectedOf(one)}`]
  })

test('there are at least 2,000 cases', () => {
  const inputs = RULESETS.reduce((sum, one) => sum + one.inputs.length, 0)
  expect(EXPRESSIONS.length + inputs).toBeGreaterThanOrEqual(2000)
})

describe('expressions', () => {
  test('by the second implementation', () => {
    expect(different(EXPRESSIONS, (one) => [byReference(one.expression, settingOf(one))])).toEqual([])
  })

  test('by the interpreter and by generated code', () => {
    expect(different(EXPRESSIONS, (one) => byProduct(one.expression, settingOf(one)))).toEqual([])
  })
})

describe('rulesets', () => {
  const expected = (one: RulesetCase['inputs'][number]) => (one.error ? 'error' : stringifyJson(one.decision ?? null))

  test('by the second implementation', () => {
    for (const { ruleset, inputs } of RULESETS)
      for (const one of inputs) expect(rulesets.byReference(ruleset, one.input, OTHERS)).toBe(expected(one))
  })

  test('by the interpreter, by generated code, and without an index of branches', () => {
    for (const { ruleset, inputs } of RULESETS)
      for (const [way, decide] of rulesets.programsOf(ruleset, OTHERS) ?? [])
        for (const one of inputs) expect([way, decide(one.input)]).toEqual([way, expected(one)])
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
      const wanted = one.error === undefined ? expectedOf(one) : `error ${ANY}`
      expect([one.expression, isAs(wanted, zeroless(found)) ? wanted : found]).toEqual([one.expression, wanted])
    }
    for (const one of cases.slice(0, 100)) {
      const request = { expression: one.expression, context_json: stringifyJson(one.input) }
      const reply = (await client.call('Eval', request)) as { readonly message?: { readonly result_json: string } }
      const found = reply.message === undefined ? 'error' : zeroless(reply.message.result_json)
      expect([one.expression, found]).toEqual([one.expression, one.error === undefined ? expectedOf(one) : 'error'])
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
        expect(found).toBe(one.error ? 'error' : stringifyJson(one.decision ?? null))
      }
    }
  })
})

/** The documents do not distinguish 0 from -0. */
const zeroless = (text: string) => text.replaceAll(/(?<![\d.eE+])-0(?![\d.])/g, '0')
