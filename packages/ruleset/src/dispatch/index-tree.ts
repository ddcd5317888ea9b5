import type { Value } from '@engine/expression'
import { type Condition, holds, type Test } from './tests.ts'

/**
 * The branches that can be true for given values, in order, behind a tree of look-ups: one level a key, hash for
 * equality, binary search among the bounds of ranges. A node is made when an execution first comes to it, so a table of
 * 50,000 branches costs nothing until it is used, and then only where it is used.
 */
export interface IndexTree {
  /** Branches to try, in order; the last may be certain. `values` by number of key. */
  candidates(values: readonly Value[]): readonly Candidate[]
}

/** A branch whose tests hold. */
export interface Candidate {
  readonly branch: number
  /** Its tests are its whole condition: it is true. */
  readonly isCertain: boolean
}

/** Nodes and candidates kept; beyond that the tree is dropped and grows again where it is used. */
const MOST_KEPT = 500_000

export function createIndexTree(conditions: readonly Condition[], keys: readonly string[]): IndexTree {
  let kept = 0
  let root: Node | undefined
  const keep = (size: number) => {
    kept += size
  }
  return {
    candidates(values) {
      if (kept > MOST_KEPT) {
        root = undefined
        kept = 0
      }
      let node = (root ??= grow(conditions.map((_, branch) => branch), new Set(), { conditions, keys, keep }))
      while (node.kind === 'fork') node = node.child(values[node.key] as Value)
      return node.candidates
    },
  }
}

interface Soil {
  readonly conditions: readonly Condition[]
  readonly keys: readonly string[]
  readonly keep: (size: number) => void
}

type Node = Leaf | Fork

interface Leaf {
  readonly kind: 'leaf'
  readonly candidates: readonly Candidate[]
}

interface Fork {
  readonly kind: 'fork'
  readonly key: number
  child(value: Value): Node
}

/** A list this short is tried one after the other. */
const SHORTEST_FORK = 3

function grow(branches: readonly number[], decided: ReadonlySet<number>, soil: Soil): Node {
  const key = branches.length < SHORTEST_FORK ? undefined : mostTested(branches, decided, soil)
  return key === undefined ? leaf(branches, decided, soil) : fork(key, branches, decided, soil)
}

/** A branch that is certain ends the list: none behind it is ever reached. */
function leaf(branches: readonly number[], decided: ReadonlySet<number>, { conditions, keys, keep }: Soil): Leaf {
  const candidates: Candidate[] = []
  for (const branch of branches) {
    const { tests, isComplete } = conditions[branch] as Condition
    const isCertain = isComplete && tests.every((test) => decided.has(keys.indexOf(test.key)))
    candidates.push({ branch, isCertain })
    if (isCertain) break
  }
  keep(candidates.length + 1)
  return { kind: 'leaf', candidates }
}

/** The key that most of the branches ask about. */
function mostTested(branches: readonly number[], decided: ReadonlySet<number>, { conditions, keys }: Soil): number | undefined {
  const counts = keys.map(() => 0)
  for (const branch of branches)
    for (const key of new Set(conditions[branch]?.tests.map((test) => keys.indexOf(test.key))))
      if (key >= 0 && !decided.has(key)) counts[key] = (counts[key] as number) + 1
  const most = Math.max(0, ...counts)
  return most < SHORTEST_FORK ? undefined : counts.indexOf(most)
}

function fork(key: number, branches: readonly number[], decided: ReadonlySet<number>, soil: Soil): Fork {
  const name = soil.keys[key]
  const testsOf = new Map<number, readonly Test[]>()
  const pointed = new Map<Value, number[]>()
  const others: number[] = []
  const bounds = new Set<number | string>()
  for (const branch of branches) {
    const tests = soil.conditions[branch]?.tests.filter((test) => test.key === name) ?? []
    testsOf.set(branch, tests)
    const set = tests.find(({ operator }) => operator === 'set')
    if (set === undefined) others.push(branch)
    for (const value of new Set(set?.values)) push(pointed, value, branch)
    for (const { operator, bound } of tests) if (operator !== 'set') bounds.add(bound)
  }
  const cuts = [...bounds].sort((left, right) => (left < right ? -1 : 1))
  const all = new Set([...decided, key])
  const atPoint = new Map<Value, Node>()
  const inGap = new Map<number, Node>()
  soil.keep(branches.length)

  const matching = (value: Value): readonly number[] => {
    const isTrue = (branch: number) => (testsOf.get(branch) as readonly Test[]).every((test) => holds(test, value))
    return merged((pointed.get(value) ?? []).filter(isTrue), others.filter(isTrue))
  }
  return {
    kind: 'fork',
    key,
    child(value) {
      return pointed.has(value)
        ? kept(atPoint, value, () => grow(matching(value), all, soil))
        : kept(inGap, gapOf(value, cuts), () => grow(matching(value), all, soil))
    },
  }
}

function push(groups: Map<Value, number[]>, value: Value, branch: number): void {
  const group = groups.get(value)
  if (group === undefined) groups.set(value, [branch])
  else group.push(branch)
}

function kept<Key>(children: Map<Key, Node>, key: Key, make: () => Node): Node {
  const known = children.get(key)
  if (known !== undefined) return known
  const child = make()
  children.set(key, child)
  return child
}

/**
 * What a value has in common with all that no test tells apart from it: even numbers are the gaps between bounds, odd
 * ones the bounds themselves, -1 is what has no place among them.
 */
function gapOf(value: Value, cuts: readonly (number | string)[]): number {
  const type = typeof value === 'bigint' ? 'number' : typeof value
  if (type !== typeof cuts[0]) return -1
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle] as number) < (value as number)) low = middle + 1
    else high = middle
  }
  // oxlint-disable-next-line eqeqeq -- a bigint can be equal to a bound
  const isAtBound = low < cuts.length && (cuts[low] as number) == (value as number)
  return 2 * low + (isAtBound ? 1 : 0)
}

/** Two ascending lists as one. */
function merged(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left.length === 0) return right
  if (right.length === 0) return left
  return [...left, ...right].sort((a, b) => a - b)
}
