import { expect, test } from 'vitest'
import { Losses } from '../losses.ts'
import { readGraph } from './document.ts'
import { leadingTo, ordered } from './order.ts'

/** A graph of nodes with names of one character. @param pairs the second node behind the first */
function graph(nodes: string, ...pairs: readonly string[]) {
  const found = readGraph(
    {
      nodes: [...nodes].map((id) => ({ id, name: id, type: 'expressionNode', content: {} })),
      edges: pairs.map((pair, at) => ({ id: `e${at}`, sourceId: pair.slice(0, 1), targetId: pair.slice(1) })),
    },
    new Losses(),
  )
  if (found === undefined) throw new Error('the graph was not read')
  return found
}

test.each([
  ['a chain', graph('cba', 'ab', 'bc'), 'abc'],
  ['two ways to one node', graph('dcba', 'ab', 'ac', 'bd', 'cd'), 'abcd'],
  ['one edge twice', graph('ba', 'ab', 'ab'), 'ab'],
  ['an edge to a missing node', graph('ba', 'ax', 'ab', 'xa'), 'ab'],
  ['nodes without edges', graph('ba'), 'ba'],
])('the order of %s', (_, given, expected) => {
  const found = ordered(given)
  expect('nodes' in found ? found.nodes.map(({ id }) => id).join('') : found.onCycle).toBe(expected)
})

test.each([
  ['two nodes', graph('abc', 'ab', 'bc', 'cb'), 'b'],
  ['a node that leads to itself', graph('ab', 'ab', 'bb'), 'b'],
  ['a node behind a cycle', graph('cab', 'ab', 'ba', 'bc'), 'c'],
])('a cycle of %s is found', (_, given, expected) => {
  const found = ordered(given)
  expect('onCycle' in found ? found.onCycle.id : found.nodes).toBe(expected)
})

test('nodes lead to those behind them, and to themselves', () => {
  const found = ordered(graph('abcde', 'ab', 'bd', 'cd', 'de'))
  if ('onCycle' in found) throw new Error('a cycle')
  expect([...leadingTo(found, ['d'])].sort().join('')).toBe('abcd')
  expect([...leadingTo(found, ['a', 'c'])].join('')).toBe('ac')
})
