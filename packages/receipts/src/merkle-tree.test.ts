import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { leafHash, merkleTree, pathOf, rootByPath, rootOf } from './merkle-tree.ts'

const leaves = (count: number) => Array.from({ length: count }, (_, index) => leafHash(`leaf ${index}`))

/** The definition of RFC 9162 section 2.1.1, from above: the left half has the largest power of two below the count. */
function byDefinition(nodes: readonly Buffer[]): Buffer {
  if (nodes.length === 1) return nodes[0] as Buffer
  const half = 2 ** Math.floor(Math.log2(nodes.length - 1))
  const [left, right] = [byDefinition(nodes.slice(0, half)), byDefinition(nodes.slice(half))]
  return createHash('sha256')
    .update(Buffer.from([1]))
    .update(left)
    .update(right)
    .digest()
}

describe('for every number of leaves', () => {
  const counts = [...Array.from({ length: 70 }, (_, index) => index + 1), 127, 128, 129, 1000]
  test.each(counts)('%i: the root is that of the definition, and each path leads to it', (count) => {
    const nodes = leaves(count)
    const tree = merkleTree(nodes)
    const root = rootOf(tree)
    expect(root.toString('hex')).toBe(byDefinition(nodes).toString('hex'))
    for (const [index, leaf] of nodes.entries()) {
      const path = pathOf(tree, index)
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)))
      expect(rootByPath(leaf, index, count, path)?.equals(root)).toBe(true)
      expect(rootByPath(leaf, index, count, [...path, leaf])).toBeUndefined()
      if (path.length > 0) expect(rootByPath(leaf, index, count, path.slice(1))).toBeUndefined()
    }
  })
})

test('a leaf is not a node: their hashes begin differently', () => {
  const [left, right] = leaves(2) as [Buffer, Buffer]
  const inner = Buffer.concat([left, right]).toString('latin1')
  expect(rootOf(merkleTree([left, right])).equals(leafHash(inner))).toBe(false)
})

test.each([
  ['below the first', -1],
  ['behind the last', 5],
  ['far behind', Number.MAX_SAFE_INTEGER],
])('an index %s leads nowhere', (_, index) => {
  expect(rootByPath(leafHash('leaf 0'), index, 5, [])).toBeUndefined()
})
