import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { action, end, table } from '../../steps.testing.ts'
import { toJdm } from './to-jdm.ts'

const use: DraftStep = { id: 'a', type: 'sub_rule', refName: 'no', bindings: [], outputs: [], nextStepId: 'end' }
const call = action('1', { externalCalls: [{ type: 'http' }] })
const VALUE = '/steps/0/assignments/0/value'

test.each<readonly [string, readonly DraftStep[], string, string]>([
  ['a loop', [action('1', { nextStepId: 'a' }), end], 'loop', '/steps/0'],
  ['a step that leads nowhere', [action('1', { nextStepId: 'none' }), end], 'no-target', '/steps/0/nextStepId'],
  ['no first step', [{ ...end, id: 'other' }], 'no-start', '/startStepId'],
  ['a missing sub-rule', [use, end], 'sub-rule', '/steps/0'],
  ['an external call', [call, end], 'external-calls', '/steps/0/externalCalls'],
  ['a function without an equal', [action('sha256("a")'), end], 'no-zen', VALUE],
  ['an order of texts', [action('n < "b"'), end], 'no-zen', VALUE],
  ['equality with a list', [action('n == [1]'), end], 'no-zen', VALUE],
  ['all of the input', [action('$'), end], 'no-zen', VALUE],
  ['a wildcard', [action('n.*.m'), end], 'no-zen', VALUE],
  ['an index from the end', [action('n[-1]'), end], 'no-zen', VALUE],
  ['a remainder by a value that may be 0', [action('n % m'), end], 'no-zen', VALUE],
  ['a number with an exponent', [action('n * 1e30'), end], 'no-zen', VALUE],
  ['a parameter further out', [action('map(n, v => map(v, w => [v, w]))'), end], 'no-zen', VALUE],
  ['an interval of texts', [table({ i: '["a".."b"]' }), end], 'no-zen', '/steps/0/rows/0/cells/i'],
  ['an output cell', [table({ o: 'sha256("a")' }), end], 'no-zen', '/steps/0/rows/0/cells/o'],
  [
    'a condition of a table that collects',
    [table({ i: '? !(n == 1)' }, { hitPolicy: 'collect' }), end],
    'no-zen',
    '/steps/0/rows/0/cells/i',
  ],
  [
    'a name of an output',
    [{ ...end, id: 'a', output: [{ name: 'a-b', value: '1' }] }],
    'output-name',
    '/steps/0/output/0/name',
  ],
])('%s has no form in a decision', (_title, steps, code, path) => {
  const { lost } = toJdm({ config: { name: 'd' }, startStepId: 'a', steps: [...steps] })
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([{ code, path }])
})

test.each<readonly [string, DraftStep, string]>([
  ['the truth of a field', action('if n then 1 else 2'), 'truth'],
  ['equality of two fields', action('n == m'), 'comparison'],
  ['an order of two fields', action('n < m'), 'order'],
  ['a field that exists', action('exists(n)'), 'exists'],
  ['an index', action('n[0]'), 'index'],
  ['arithmetic', action('n + 1'), 'decimals'],
  ['the text of a field', action('to_string(n)'), 'number-text'],
  ['a length', action('len(n)'), 'length'],
  ['keys', action('keys(n)'), 'key-order'],
  ['a class of characters', action('matches(n, "\\\\d")'), 'unicode-classes'],
  ['two rows that match', table({}, { hitPolicy: 'unique' }), 'unique'],
  ['a disabled row', table({}, { rows: [{ id: 'r', cells: {}, disabled: true }] }), 'disabled-rows'],
])('%s may decide differently there', (_title, step, code) => {
  const { lost } = toJdm({ config: { name: 'd' }, startStepId: 'a', steps: [step, end] })
  expect(lost).toMatchObject([{ code, severity: 'warning' }])
})

test.each([
  ['n', 'n'],
  ['$["a b"]', "$root['a b']"],
  [`$["a'b"]`, `$root["a'b"]`],
])('the field %s of the input is %s there', (field, expected) => {
  const { document } = toJdm({ config: { name: 'd' }, startStepId: 'a', steps: [action(`${field} == null`), end] })
  expect(stringsIn(document)).toContain(expected)
})

/** All texts within a value. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

test('losses behind a sub-rule have the places of their own steps, and those inside that of its use', () => {
  const inner = (value: string) => ({ startStepId: 'a', steps: [action(value), { ...end, output: [] }] })
  const steps = [
    {
      id: 'a',
      type: 'sub_rule' as const,
      refName: 'part',
      bindings: [],
      outputs: [{ parentVar: 'y', childVar: 'x' }],
      nextStepId: 'b',
    },
    action('sha256("b")', { id: 'b' }),
    end,
  ]
  const pathsWith = (value: string) =>
    toJdm({ config: { name: 'd' }, startStepId: 'a', steps }, new Map([['part', inner(value)]]))
      .lost.filter(({ severity }) => severity === 'error')
      .map(({ path }) => path)
  expect(pathsWith('1')).toEqual(['/steps/1/assignments/0/value'])
  expect(pathsWith('sha256("a")')).toEqual(['/steps/0', '/steps/1/assignments/0/value'])
})
