import { parse, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeRuleset } from './decode.ts'
import { testHost } from './host.testing.ts'
import { valueAt } from './inspect.ts'

const { ruleset, problems } = decodeRuleset({
  config: { name: 'fees', entry_step: 'ask' },
  steps: {
    ask: {
      id: 'ask',
      type: 'decision',
      branches: [{ condition: 'amount > 100', next_step: 'compute' }],
      default_next: 'small',
    },
    compute: {
      id: 'compute',
      type: 'action',
      actions: [{ action: 'set_variable', name: 'fee', value: 'amount * 2' }],
      next_step: 'large',
    },
    large: { id: 'large', type: 'terminal', result: { code: 'LARGE', message: '', output: [['fee', '$fee']] } },
    small: { id: 'small', type: 'terminal', result: { code: 'SMALL', message: '' } },
  },
})

const expressionOf = (text: string) => {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(text)
  return parsed.expression
}

const valued = (value: Value) => ({ kind: 'value', value })

test.each([
  ['reads the input', 'ask', 'amount + 1', 200, valued(201)],
  ['is that before the step', 'compute', '$fee', 200, valued(null)],
  ['has the variables of the steps before', 'large', '$fee + 1', 200, valued(401)],
  ['of a step that the input does not come to', 'large', '$fee', 50, { kind: 'missed' }],
  [
    'that fails',
    'ask',
    'amount + "a" * 2',
    200,
    { kind: 'failed', message: '`*` is not defined for string and number' },
  ],
])('the value of an expression %s', async (_name, step, text, amount, expected) => {
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  const question = { steps: new Set([step]), assignments: [], expression: expressionOf(text) }
  expect(await valueAt(ruleset, testHost({ makeFunction: undefined }), { amount }, question)).toEqual(expected)
})

test('an expression reads the variables that its step sets before it', async () => {
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  const question = {
    steps: new Set(['compute']),
    assignments: [
      { name: 'a', value: expressionOf('amount + 1') },
      { name: 'b', value: expressionOf('$a * 2') },
    ],
    expression: expressionOf('$b + $a'),
  }
  expect(await valueAt(ruleset, testHost(), { amount: 101 }, question)).toEqual(valued(306))
})
