import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { fromJdm } from './from-jdm.ts'

/** A document with these nodes, of which the first letter is the type: an input or an expression. */
function documentOf(nodes: readonly string[], edges: readonly string[]): Value {
  return {
    nodes: nodes.map((id) => ({
      id,
      name: id,
      type: id.startsWith('i') ? 'inputNode' : 'expressionNode',
      ...(id.startsWith('i') ? {} : { content: { expressions: [{ id: `${id}1`, key: 'x', value: '1' }] } }),
    })),
    edges: edges.map((pair, at) => ({ id: `e${at}`, sourceId: pair.slice(0, 2), targetId: pair.slice(3) })),
  }
}

test.each<readonly [string, readonly string[], readonly string[], object]>([
  [
    'without an input node',
    ['e1'],
    [],
    { code: 'input-nodes', path: '/nodes', message: 'a decision has one input node, found 0' },
  ],
  [
    'with two input nodes, at the second one',
    ['i1', 'e1', 'i2'],
    ['i1 e1', 'i2 e1'],
    { code: 'input-nodes', path: '/nodes/2', message: 'in `i2`: a decision has one input node, found 2' },
  ],
  [
    'with nodes in a ring',
    ['i1', 'e1', 'e2'],
    ['i1 e1', 'e1 e2', 'e2 e1'],
    { code: 'cycle', path: '/nodes/1', message: 'in `e1`: the node is part of a cycle' },
  ],
])('a document %s is refused with its reason', (_, nodes, edges, reason) => {
  const { rulesets, lost } = fromJdm(documentOf(nodes, edges))
  expect(rulesets).toEqual([])
  expect(lost).toEqual([expect.objectContaining({ severity: 'error', ...reason })])
})

test.each<readonly [type: string, content: Value, message: string, original: string]>([
  ['functionNode', { source: 'a => a' }, 'the code of a function node cannot be converted', 'a => a'],
  ['functionNode', 'a => a', 'the code of a function node cannot be converted', 'a => a'],
  ['functionNode', {}, 'the code of a function node cannot be converted', 'the code of a function node'],
  [
    'decisionNode',
    { key: 'fees.json' },
    'the decision `fees.json` of another document cannot be converted',
    'the decision `fees.json` of another document',
  ],
  ['decisionNode', {}, 'the decision of another document cannot be converted', 'the decision of another document'],
  ['customNode', { kind: 'mail' }, 'a custom node cannot be converted', '{"kind":"mail"}'],
  ['requestNode', { url: 'x' }, 'the node type `requestNode` cannot be converted', '{"url":"x"}'],
])('a node %s %j is refused by its name, and its original stands in its place', (type, content, message, original) => {
  const nodes = [
    { id: 'i', name: 'in', type: 'inputNode' },
    { id: 'n', name: 'Send it', type, content },
  ]
  const { rulesets, lost } = fromJdm({ nodes, edges: [{ id: 'e', sourceId: 'i', targetId: 'n' }] })
  const { path, message: found } = lost.find(({ severity }) => severity === 'error') ?? {}
  expect([path, found]).toEqual(['/nodes/1', `in \`Send it\`: ${message}`])
  const values = rulesets[0]?.ruleset.steps.flatMap((step) => (step.type === 'action' ? (step.assignments ?? []) : []))
  expect(values?.[0]?.value).toContain(JSON.stringify(original))
})

test('an output node is refused at which another node ends the same execution', () => {
  const { nodes, edges } = documentOf(['i1', 'e1', 'e2'], ['i1 e1', 'i1 e2']) as { nodes: Value[]; edges: Value[] }
  const output = { id: 'o', name: 'Out', type: 'outputNode' }
  const { lost } = fromJdm({
    nodes: [...nodes, output],
    edges: [...edges, { id: 'x', sourceId: 'e1', targetId: 'o' }],
  })
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code: 'several-results', path: '/nodes/3', message: expect.stringMatching(/^in `Out`: another node also gives/) },
  ])
})

test('a node whose input is a computed object reads its members', () => {
  const node = (id: string, key: string, value: string, more: object = {}) => ({
    id,
    name: id,
    type: 'expressionNode',
    content: { passThrough: false, expressions: [{ id: `${id}1`, key, value }], ...more },
  })
  const nodes = [
    { id: 'i', name: 'i', type: 'inputNode' },
    node('a', 'o.p', 'x + 1'),
    node('b', 'y', 'p * 2', { inputField: 'o' }),
  ]
  const edges = ['i a', 'a b'].map((pair, at) => ({ id: `e${at}`, sourceId: pair[0] ?? '', targetId: pair[2] ?? '' }))
  const { rulesets, lost } = fromJdm({ nodes, edges })
  expect(lost).toEqual([])
  const [, second] = rulesets[0]?.ruleset.steps ?? []
  expect(second).toMatchObject({ assignments: [{ name: 'y', value: '$o_p * 2' }] })
})

test('a document of one input node and an expression is converted', () => {
  const { rulesets, lost } = fromJdm(documentOf(['i1', 'e1'], ['i1 e1']))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(rulesets).toHaveLength(1)
})
