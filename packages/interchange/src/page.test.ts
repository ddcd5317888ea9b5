import { jsonValue, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { blocksOf, codeRowsOf } from '../../../tests/docs/page.testing.ts'
import { executable } from './execute.testing.ts'
import { fromJdm } from './jdm/from-jdm.ts'
import { parseZen } from './jdm/zen/parser.ts'
import { trueText } from './jdm/zen/condition.ts'
import { memberOf, INPUT } from './jdm/zen/text.ts'
import { type Surroundings, valueText } from './jdm/zen/value.ts'
import type { Imported } from './conversion-result.ts'
import { fromJsonRulesEngine } from './json-rules-engine/from-json-rules-engine.ts'

const PAGE = 'docs/platform/imports.md'

const around: Surroundings = {
  names: {
    root: (path) => path.reduce(memberOf, INPUT),
    self: () => undefined,
    node: () => undefined,
    parameter: () => 'item',
  },
  note: () => {},
  parameters: [],
}

/** Rows of the table of expressions; that of functions has two columns and a separate test. */
const expressions = codeRowsOf(PAGE, 'JSON Decision Model').filter(({ length }) => length === 3)

test('the page has the table of expressions', () => expect(expressions.length).toBeGreaterThan(10))

test.each(expressions)('`%s` is translated as the page says', (zen = '', value, condition) => {
  expect([valueText(parseZen(zen), around).text, trueText(parseZen(zen), around).text]).toEqual([value, condition])
})

function decide({ rulesets, lost }: Imported, input: Value) {
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [imported] = rulesets
  if (imported === undefined) throw new Error('nothing was imported')
  return executable(imported.ruleset)(input)
}

const [decision, rules] = blocksOf(PAGE)
  .filter(({ language }) => language === 'json')
  .map(({ text }) => jsonValue(text))

test.each([
  [60, 'gold', 10],
  [60, 'bronze', 0],
  [30, 'bronze', 5],
  [10, 'gold', 0],
])('the decision of the page: two of %d each for %s are %d percent', (price, tier, percent) => {
  const input = { items: [{ price, quantity: 2 }], customer: { tier } }
  const decided = decide(fromJdm(decision ?? null), input)
  const output = { ...input, total: price * 2, percent }
  expect(decided).toEqual({ kind: 'decided', code: 'RESULT', message: '', output })
})

test('the rules of the page give their events', () => {
  const events = (input: Value) => decide(fromJsonRulesEngine(rules ?? null), input)
  const refuse = { type: 'refuse', params: { reason: 'age' } }
  expect(events({ applicant: { age: 17 }, country: 'AT' })).toMatchObject({
    code: 'EVENTS',
    output: { events: [refuse, { type: 'greet' }] },
  })
  expect(events({ tags: ['vip'] })).toMatchObject({ output: { events: [{ type: 'greet' }] } })
  expect(events({ tags: [] })).toMatchObject({ code: 'NO_EVENTS', output: { events: [] } })
})
