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
    { code: 'input-nodes', path: '/nodes/2', message: 'a decision has one input node, found 2' },
  ],
  [
    'with nodes in a ring',
    ['i1', 'e1', 'e2'],
    ['i1 e1', 'e1 e2', 'e2 e1'],
    { code: 'cycle', path: '/nodes/1', message: 'the node is part of a cycle' },
  ],
])('a document %s is refused with its reason', (_, nodes, edges, reason) => {
  const { rulesets, lost } = fromJdm(documentOf(nodes, edges))
  expect(rulesets).toEqual([])
  expect(lost).toEqual([expect.objectContaining({ severity: 'error', ...reason })])
})

test('a document of one input node and an expression is converted', () => {
  const { rulesets, lost } = fromJdm(documentOf(['i1', 'e1'], ['i1 e1']))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(rulesets).toHaveLength(1)
})
