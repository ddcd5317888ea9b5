import { isObject, type Numbers, type ObjectValue, stringifyJson, type Value } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import type { ConformanceData } from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'
import { programsOf } from './product.testing.ts'

/**
 * `conformance/origin.json` holds the product to the origin's own tests of decimals, numbers and input contracts. Each difference
 * has a reason, here and in docs/migrating.md.
 */

interface ExpressionRow {
  readonly expression: string
  readonly input: ObjectValue
  readonly numbers: readonly Numbers[]
  readonly value?: Value
  readonly error?: true
  readonly here?: Value
  readonly reason?: string
}
interface RulesetRow {
  readonly source: string
  readonly ruleset: ObjectValue
  readonly inputs: readonly {
    readonly input: Value
    readonly code?: string
    readonly violations?: readonly Violated[]
    /** Violations, or the code of the refusal. */
    readonly here?: readonly Violated[] | string
    readonly reason?: string
  }[]
}
interface Violated {
  readonly path: string
  readonly code: string
}

const { cases } = readData<ConformanceData<ExpressionRow | RulesetRow>>('origin', 'decimal')
const expressions = cases.filter((one) => 'expression' in one)
const rulesets = cases.filter((one) => 'ruleset' in one)

/** The value of an expression by every way of execution; undefined: it is refused when it is stored. */
function valuesOf(expression: string, numbers: Numbers, input: Value): ReadonlySet<string> | undefined {
  const output = [['x', expression]]
  const ways = programsOf({
    config: { name: 'value', entry_step: 'end', numbers },
    steps: { end: { id: 'end', name: 'End', type: 'terminal', result: { code: 'A', message: '', output } } },
  })
  return ways && new Set(ways.map(([, decide]) => decide(input) ?? ''))
}

const shown = (value: Value) => stringifyJson({ code: 'A', message: '', output: { x: value } })
const isError = (values: ReadonlySet<string> | undefined) => values === undefined || [...values].join() === 'error'
const isStated = (value: Value) => isObject(value) && 'error' in value

describe('expressions', () => {
  test('there are those of every source', () => {
    expect(expressions.length).toBeGreaterThan(60)
    expect(new Set(rulesets.map(({ source }) => source))).toEqual(
      new Set(['numeric_semantics.rs', 'input_contract.rs', 'input_schema.rs']),
    )
  })

  test.each(
    expressions.flatMap((one) =>
      one.numbers.map((numbers) => [numbers, one.expression, stringifyJson(one.input), one] as const),
    ),
  )('%s: %s of %s', (numbers, expression, _shown, { input, value = null, error = false, here, reason }) => {
    const values = valuesOf(expression, numbers, input)
    const asThere = error ? isError(values) : values?.size === 1 && values.has(shown(value))
    expect(asThere).toBe(reason === undefined)
    if (here === undefined) return
    if (isStated(here)) expect(isError(values)).toBe(true)
    else expect([...(values ?? [])]).toEqual([shown(here)])
  })
})

describe('rulesets and contracts, over HTTP', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  test.each(rulesets.map((one, index) => [index + 1, one.source, one] as const))(
    '%i: %s',
    async (index, _source, { ruleset, inputs }) => {
      const name = `origin-${index}`
      const { config, ...rest } = ruleset
      const stored = await server.post('/api/v1/rulesets', { ...rest, config: { ...(config as ObjectValue), name } })
      expect([stored.status, stored.text]).toEqual([201, expect.any(String)])
      for (const { input, code, violations = [], here } of inputs) {
        const { status, body } = await server.post(`/api/v1/execute/${name}`, { input })
        const details = (body['details'] ?? []) as readonly Violated[]
        const found = [status, body['code'], details.map(({ path, code: rule }) => ({ path, code: rule }))]
        const there = code === undefined ? [400, 'INVALID_INPUT', violations] : [200, code, []]
        const expected =
          typeof here === 'string'
            ? [400, here, expect.any(Array)]
            : here === undefined
              ? there
              : [400, 'INVALID_INPUT', here]
        expect(found).toEqual(expected)
        if (here !== undefined) expect(found).not.toEqual(there)
      }
    },
  )
})

test('docs/migrating.md lists every difference', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/migrating.md'), 'utf8')
  const listed = Array.from(
    page.matchAll(/^\| `(.+?)` \| (double|decimal) \|/gm),
    ([, expression, numbers]) => `${numbers} ${expression}`,
  )
  const differing = expressions.filter(({ reason }) => reason !== undefined)
  expect(listed.toSorted()).toEqual(
    differing.flatMap(({ numbers, expression }) => numbers.map((one) => `${one} ${expression}`)).toSorted(),
  )
  const reasons = rulesets.flatMap(({ inputs }) => inputs.flatMap(({ reason }) => reason ?? []))
  expect(reasons).toHaveLength(2)
  for (const reason of reasons) expect(page).toContain(`| ${reason} |`)
})
