import { defined } from '@engine/expression'
import { hash } from 'node:crypto'
import { HASH_BYTES } from './base64url.ts'

/** The levels of a tree, from its leaves to its root. Never empty. */
export type MerkleTree = readonly (readonly Buffer[])[]

/** The hash of a leaf (RFC 9162 section 2.1.1): SHA-256 of a zero byte and the UTF-8 of the text. */
export function leafHash(text: string): Buffer {
  return hash('sha256', `\0${text}`, 'buffer')
}

const pair = Buffer.alloc(1 + 2 * HASH_BYTES)
pair[0] = 1

function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1)
  right.copy(pair, 1 + HASH_BYTES)
  return hash('sha256', pair, 'buffer')
}

/**
 * The tree of RFC 9162 section 2.1.1 over at least one leaf, built from the leaves up: a last node without a sibling
 * moves up. Linear.
 */
export function merkleTree(leaves: readonly Buffer[]): MerkleTree {
  const levels = [leaves]
  for (let level = leaves; level.length > 1; levels.push(level)) {
    const above: Buffer[] = []
    for (let index = 0; index + 1 < level.length; index += 2)
      above.push(nodeHash(defined(level[index]), defined(level[index + 1])))
    if (level.length % 2 === 1) above.push(defined(level.at(-1)))
    level = above
  }
  return levels
}

/** The root of a tree. */
export function rootOf(tree: MerkleTree): Buffer {
  return defined(tree.at(-1)?.[0])
}

/** The siblings on the path from a leaf to the root (RFC 9162 section 2.1.3). */
export function pathOf(tree: MerkleTree, index: number): readonly Buffer[] {
  const path: Buffer[] = []
  let at = index
  for (const level of tree.slice(0, -1)) {
    const sibling = level[at ^ 1]
    if (sibling !== undefined) path.push(sibling)
    at >>= 1
  }
  return path
}

/**
 * The root that results from a path (RFC 9162 section 2.1.3.2); undefined if the length of the path does not fit a tree
 * with `count` leaves. Linear in the path.
 */
export function rootByPath(leaf: Buffer, index: number, count: number, path: readonly Buffer[]): Buffer | undefined {
  if (index < 0 || index >= count) return undefined
  let node = leaf
  let at = index
  let used = 0
  for (let last = count - 1; last > 0; last = Math.floor(last / 2)) {
    const isRight = at % 2 === 1
    if (isRight || at < last) {
      const sibling = path[used++]
      if (sibling === undefined) return undefined
      node = isRight ? nodeHash(sibling, node) : nodeHash(node, sibling)
    }
    at = Math.floor(at / 2)
  }
  return used === path.length ? node : undefined
}
