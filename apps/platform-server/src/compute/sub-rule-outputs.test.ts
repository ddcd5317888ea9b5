import { declaredFields, type DraftGraph } from '@engine/authoring'
import { expect, test } from 'vitest'
import { mistypedOutputs } from './sub-rule-outputs.ts'

const FIELDS = declaredFields({ name: 'c', version: '1.0.0', input: { fields: [] }, outputs: [] })
const action = (assignments: Readonly<Record<string, string>>, resultVariable?: string) => ({
  id: 'a',
  type: 'action',
  assignments: Object.entries(assignments).map(([name, value]) => ({ name, value })),
  ...(resultVariable !== undefined && { externalCalls: [{ resultVariable }] }),
})
const table = (hitPolicy: string, kind: string, ...cells: readonly string[]) => ({
  id: 't',
  type: 'table',
  hitPolicy,
  columns: [{ id: 'c', kind, field: 'x' }],
  rows: cells.map((text) => ({ cells: { c: text } })),
})
const call = (names: object) => ({ id: 's', type: 'sub_rule', outputs: [names] })

test.each<[string, readonly object[], string, readonly string[]]>([
  ['a value of its type', [action({ x: '1' })], 'number', []],
  ['a value of another type', [action({ x: '1' })], 'string', ['/steps/0/assignments/0/value']],
  ['one value of its type among others', [action({ x: '"a"' }), action({ x: '1' })], 'number', []],
  ['another variable', [action({ y: '1' })], 'string', []],
  [
    'values of two other types, by the first',
    [action({ y: '1', x: '1' }), action({ x: 'true' })],
    'string',
    ['/steps/0/assignments/1/value'],
  ],
  ['the result of a call, which may be any', [action({ x: '1' }, 'x')], 'string', []],
  ['a cell of a table', [table('first', 'output', '', '1')], 'string', ['/steps/0/rows/1/cells/c']],
  ['blank cells alone', [table('first', 'output', ' ')], 'string', []],
  ['a condition of a table', [table('first', 'input', '1')], 'string', []],
  ['a table that collects, which may be any', [table('collect', 'output', '1')], 'string', []],
  ['an output of a sub-rule, which may be any', [action({ x: '1' }), call({ childVar: 'x' })], 'string', []],
  [
    'an output of a sub-rule under another name',
    [action({ x: '1' }), call({ childVar: 'x', parentVar: 'y' })],
    'string',
    ['/steps/0/assignments/0/value'],
  ],
  ['an unknown type', [action({ x: '1' })], 'what', []],
])('an output that is set to %s', (_title, steps, type, paths) => {
  const found = mistypedOutputs({ startStepId: 'a', steps } as unknown as DraftGraph, [{ name: 'x', type }], FIELDS)
  expect(found.map(({ path }) => path)).toEqual(paths)
})

test('the problem names the type that was found, and its step', () => {
  const graph = { startStepId: 'a', steps: [action({ x: '1' })] } as unknown as DraftGraph
  expect(mistypedOutputs(graph, [{ name: 'x', type: 'string' }], FIELDS)).toMatchObject([
    {
      code: 'output-type',
      severity: 'error',
      step_id: 'a',
      message: expect.stringContaining('has the type `string`, found'),
    },
  ])
})
