import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { inputNames } from './input-names.ts'
import { action, end, table } from './steps.testing.ts'

test.each<readonly [string, DraftStep, readonly string[]]>([
  ['an action', action('a + b.c + $d + $["e f"]'), ['a', 'b', 'e f']],
  ['an action that is no expression', action('a +'), []],
  ['all of the input', action('$'), []],
  ['an action without a value', { ...action(''), type: 'action', assignments: [{ name: 'x' }] }, []],
  [
    'a decision',
    {
      id: 'a',
      type: 'decision',
      branches: [
        { id: 'b', condition: 'b > c', nextStepId: 'z' },
        { id: 'c', nextStepId: 'z' },
      ],
    },
    ['b', 'c'],
  ],
  ['a terminal', { ...end, message: 'm', output: [{ name: 'x', value: 'o' }, { name: 'y' }] }, ['m', 'o']],
  ['a terminal without outputs', { id: 'a', type: 'terminal' }, []],
  [
    'a sub-rule',
    {
      id: 'a',
      type: 'sub_rule',
      refName: 'r',
      bindings: [{ target: 't', expr: 'e' }, { target: 'u' }] as never,
      outputs: [],
      nextStepId: 'z',
    },
    ['e'],
  ],
  [
    'a table',
    table(
      { i: '? f > g', o: 'h', j: '> 1' },
      {
        columns: [
          { id: 'i', kind: 'input', field: 'n' },
          { id: 'j', kind: 'input' },
          { id: 'o', kind: 'output', field: 'x' },
        ],
      },
    ),
    ['n', 'f', 'g', 'h'],
  ],
])('the names that %s reads', (_, step, names) => {
  expect([...inputNames([step])]).toEqual(names)
})
