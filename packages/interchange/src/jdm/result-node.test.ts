import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { fromJdm } from './from-jdm.ts'

type Written = readonly (readonly [key: string, value: string])[]

/** The import of a node with these expressions in front of an output node. */
function imported(written: Written, content: { readonly [name: string]: Value } = {}) {
  const expressions = written.map(([key, value], at): Value => ({ id: `e${at}`, key, value }))
  const { rulesets, lost } = fromJdm({
    nodes: [
      { id: 'in', type: 'inputNode', name: 'in' },
      { id: 'a', type: 'expressionNode', name: 'My result', content: { expressions, ...content } },
      { id: 'out', type: 'outputNode', name: 'out' },
    ],
    edges: [
      { id: 'e1', sourceId: 'in', targetId: 'a', type: 'edge' },
      { id: 'e2', sourceId: 'a', targetId: 'out', type: 'edge' },
    ],
  })
  return { steps: rulesets[0]?.ruleset.steps ?? [], lost }
}

const CODE = ['code', '"OK"'] as const

test.each<readonly [string, Written, { readonly [member: string]: unknown }]>([
  ['a code', [CODE], { output: [] }],
  ['a code and a message', [CODE, ['message', '"done"']], { message: '"done"', output: [] }],
  [
    'a code and outputs',
    [['output.x', 'n + 1'], CODE, ['output._y1', '"b"']],
    {
      output: [
        { name: 'x', value: 'n + 1' },
        { name: '_y1', value: '"b"' },
      ],
    },
  ],
])('a node that computes %s is a terminal', (_, written, expected) => {
  const { steps, lost } = imported(written)
  expect(lost).toEqual([])
  expect(steps).toEqual([{ id: expect.any(String), name: 'My result', type: 'terminal', code: 'OK', ...expected }])
  expect(
    imported(written, { executionMode: 'single', inputField: '', outputPath: '', passThrough: false }).steps,
  ).toEqual(steps)
})

test.each<readonly [string, Written, { readonly [name: string]: Value }]>([
  ['no code', [['output.x', '1']], {}],
  ['a code that is computed', [['code', 'n']], {}],
  ['a code that is a number', [['code', '1']], {}],
  ['another member', [CODE, ['other', '1']], {}],
  ['a member of a member', [CODE, ['output.x.y', '1']], {}],
  ['a member whose name begins with a digit', [CODE, ['output.1', '1']], {}],
  ['a message that may be no text', [CODE, ['message', 'n']], {}],
  ['a message that is a number', [CODE, ['message', '1']], {}],
  ['passed members', [CODE], { passThrough: true }],
  ['an input field', [CODE], { inputField: 'o' }],
  ['an output path', [CODE], { outputPath: 'o' }],
  ['a loop', [CODE], { executionMode: 'loop', inputField: 'o' }],
  ['a loop over the input', [CODE], { executionMode: 'loop' }],
])('a node with %s is none', (_, written, content) => {
  const { steps } = imported(written, content)
  expect(steps.length).toBeGreaterThan(1)
  expect(steps).toContainEqual(expect.objectContaining({ type: 'terminal', code: 'RESULT' }))
})

test.each<readonly [string, Written]>([
  ['an output', [CODE, ['output.x', 'unknown(n)']]],
  ['a code', [['code', '"']]],
  ['a message', [CODE, ['message', 'unknown(n)']]],
])('%s that cannot be translated is refused at its place', (_, written) => {
  const errors = imported(written).lost.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ path }) => path)).toEqual([`/nodes/1/content/expressions/${written.length - 1}/value`])
})

test('a message that cannot be translated stands in the terminal', () => {
  expect(imported([CODE, ['message', 'unknown(n)']]).steps).toMatchObject([
    { type: 'terminal', code: 'OK', message: 'lost("unknown(n)")' },
  ])
})
