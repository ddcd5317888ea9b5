import { expect, test } from 'vitest'
import { reachedFrom, traitsOf } from './ruleset-traits.ts'
import { executionOf, type ShortRuleset } from './services.testing.ts'

const CALL = { action: 'call_ruleset', ruleset_name: 'other', result_variable: 'r', input_mapping: '{"a": 1}' }

test.each<[what: string, ruleset: Omit<ShortRuleset, 'name'>, isStatic: boolean, isVolatile: boolean]>([
  ['reads no field', { condition: '1 < 2' }, true, false],
  ['reads a field', { condition: 'a < 2' }, false, false],
  ['reads a field in an output', { condition: 'true', output: { b: 'a' } }, false, false],
  ['reads the time', { condition: 'now() != "x"' }, false, true],
  ['reads the time within a function', { condition: 'len(now()) > 1 || a == 1' }, false, true],
  ['logs', { condition: 'true', actions: [{ action: 'log', level: 'info', message: 'x' }] }, true, false],
  ['records a metric', { condition: 'true', actions: [{ action: 'metric', name: 'm', value: '1' }] }, false, true],
  [
    'calls a service',
    { condition: 'true', actions: [{ action: 'external_call', service: 's', method: 'm', params: [] }] },
    false,
    true,
  ],
  ['calls a ruleset', { condition: 'true', actions: [CALL] }, false, false],
])('a ruleset that %s', async (_what, ruleset, isStatic, isVolatile) => {
  const { execution } = await executionOf([{ name: 'r', ...ruleset }])
  const traits = traitsOf(execution.program('r').ruleset)
  expect([traits.isStatic, traits.isVolatile]).toEqual([isStatic, isVolatile])
})

test('a ruleset reaches those that its callees call, also one that is not stored, and stops in a circle', async () => {
  const calling = (name: string, called: string): ShortRuleset => ({
    name,
    condition: 'true',
    actions: [{ ...CALL, ruleset_name: called }],
  })
  const { execution } = await executionOf([
    calling('a', 'b'),
    calling('b', 'c'),
    calling('c', 'a'),
    calling('d', 'gone'),
  ])
  expect([...reachedFrom(execution, 'a').keys()]).toEqual(['a', 'b', 'c'])
  expect([...reachedFrom(execution, 'd')].map(([name, program]) => [name, program?.ruleset.config.name])).toEqual([
    ['d', 'd'],
    ['gone', undefined],
  ])
})
