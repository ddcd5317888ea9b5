import { expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { interpret } from './interpreter.ts'
import { stringifyJson } from './json/json.ts'
import { parse } from './parser.ts'
import { LENIENT } from './runtime.ts'

/**
 * The results that Ordo's tests of decimals and of number semantics expect (`decimal.rs`, `numeric_semantics.rs`), as expressions
 * of a ruleset that computes with decimals. `there` is the result of Ordo where ours differs, with the reason.
 */
const EXPECTATIONS: readonly (readonly [
  expression: string,
  value: string,
  differs?: { readonly there: string; readonly reason: string },
])[] = [
  ['decimal("0.1") + decimal("0.2")', '0.3'],
  ['decimal("19.99") * 3', '59.97'],
  [
    'decimal(100) / 3 * 3',
    '99.99999999999999999999999999999999',
    {
      there: '100',
      reason: 'a quotient has 34 digits, as in decimal128, and is not rounded up by a product; there it has 28',
    },
  ],
  ['decimal(10) - decimal("0.01")', '9.99'],
  ['decimal(10) % 3', '1'],
  ['-decimal("1.5")', '-1.5'],
  ['decimal("10.00") == 10', 'true'],
  ['decimal("10.5") > 10', 'true'],
  ['round(decimal("2.675"), 2)', '2.68'],
  ['round(decimal("-2.5"))', '-3'],
  ['floor(decimal("2.9"))', '2'],
  ['ceil(decimal("2.1"))', '3'],
  ['sum([decimal("19.99"), decimal("0.01"), 5])', '25'],
  ['avg([decimal(1), decimal(2)])', '1.5'],
  ['decimal("1.50")', '1.5'],
  ['decimal("1e3")', '1000'],
  ['decimal("16.99")', '16.99'],
  ['round(1.005, 2)', '1.01'],
  ['round(2.675, 2)', '2.68'],
  ['round(16.9915, 2)', '16.99'],
  ['round(-1.005, 2)', '-1.01'],
  ['round(9.995, 2)', '10'],
  ['round(1.5, 0)', '2'],
  ['round(1.25, 5)', '1.25'],
  ['round(42, 2)', '42'],
  ['round(2.5, 0)', '3'],
  ['round(-2.5, 0)', '-3'],
  ['10 / 4', '2.5'],
  ['-7 / 2', '-3.5'],
  ['9007199254740993 > 9007199254740992', 'true'],
  ['round(10 / 4 * 1.1, 2)', '2.75'],
]

function evaluated(text: string): string {
  const parsed = parse(text, [], 'decimal')
  if (parsed.kind === 'failed') throw new Error(JSON.stringify(parsed.problems))
  const runtime = { now: 0, budget: Budget.endless() }
  const policy = { ...LENIENT, numbers: 'decimal' as const }
  return stringifyJson(interpret(parsed.expression, { input: {}, variables: new Map(), policy, runtime }))
}

test.each(EXPECTATIONS.map(([expression, value, differs]) => ({ expression, value, differs })))(
  '$expression is $value',
  ({ expression, value, differs }) => {
    expect(evaluated(expression)).toBe(value)
    expect(differs?.there).not.toBe(value)
  },
)

test('30 of the 31 expectations are met', () => {
  expect(EXPECTATIONS).toHaveLength(31)
  expect(EXPECTATIONS.filter(([, , differs]) => differs === undefined)).toHaveLength(30)
})
