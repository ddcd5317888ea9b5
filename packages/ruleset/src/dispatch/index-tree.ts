import { defined, isNumber, orderOf, type Value } from '@engine/expression/core'
import { type Conjuncts, holds, type Test } from './indexable-conjuncts.ts'

/**
 * An index of the branches that can be true for given values, in order: one tree level per key, with a hash table for
 * equality and binary search over range bounds. A node is built when an execution first reaches it, so a table of
 * 50,000 branches costs nothing until it is used, and then only in the used part.
 */
export interface IndexTree {
  /** Branches to try, in order; the last may be certain. `values` has one value per key. */
  candidates(values: readonly Value[]): readonly Candidate[]
}

/** A branch whose tests hold. */
export interface Candidate {
  readonly branch: number
  /** Its tests are its whole condition, so it is true. */
  readonly isCertain: boolean
}

/** Branches stored in nodes; beyond this the tree stops growing, and missing nodes are rebuilt for each execution. */
const MAX_KEPT = 2_000_000

export function createIndexTree(conditions: readonly Conjuncts[], keys: readonly string[]): IndexTree {
  const soil: Soil = { conditions, keys, kept: 0 }
  const all = conditions.map((_, branch) => branch)
  let root: Node | undefined
  return {
    candidates(values) {
      let node = (root ??= grow(all, new Set(), soil))
      while (node.kind === 'fork') node = node.child(defined(values[node.key]))
      return node.candidates
    },
  }
}

interface Soil {
  readonly conditions: readonly Conjuncts[]
  readonly keys: readonly string[]
  kept: number
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

/** Lists up to this length are tried in order. */
const MIN_FORK = 3

function grow(branches: readonly number[], decided: ReadonlySet<number>, soil: Soil): Node {
  const key = branches.length < MIN_FORK ? undefined : mostTested(branches, decided, soil)
  return key === undefined ? leaf(branches, decided, soil) : fork(key, branches, decided, soil)
}

/** A certain branch ends the list: later ones are unreachable. */
function leaf(branches: readonly number[], decided: ReadonlySet<number>, soil: Soil): Leaf {
  const { conditions, keys } = soil
  const candidates: Candidate[] = []
  for (const branch of branches) {
    const certain = isCertain(defined(conditions[branch]), decided, keys)
    candidates.push({ branch, isCertain: certain })
    if (certain) break
  }
  if (soil.kept <= MAX_KEPT) soil.kept += candidates.length + 1
  return { kind: 'leaf', candidates }
}

/**
 * The next key: among those tested by most branches, one that is only compared with single values, because it splits
 * the branches into small groups; ranges come last, where the first match ends the search.
 */
function mostTested(
  branches: readonly number[],
  decided: ReadonlySet<number>,
  { conditions, keys }: Soil,
): number | undefined {
  const counts = keys.map(() => 0)
  const ranges = keys.map(() => 0)
  for (const branch of branches) {
    for (const { key, operator } of conditions[branch]?.tests ?? []) {
      const number = keys.indexOf(key)
      if (number < 0 || decided.has(number)) continue
      counts[number] = defined(counts[number]) + 1
      if (operator !== 'set') ranges[number] = defined(ranges[number]) + 1
    }
  }
  const most = Math.max(0, ...counts)
  if (most < MIN_FORK) return undefined
  const isFrequent = (count: number) => count * 2 >= most && count >= MIN_FORK
  const single = counts.findIndex((count, number) => isFrequent(count) && ranges[number] === 0)
  return single >= 0 ? single : counts.indexOf(most)
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
  soil.kept += branches.length

  const matching = (value: Value): readonly number[] => {
    const isTrue = (branch: number) => defined(testsOf.get(branch)).every((test) => holds(test, value))
    const isLast = (branch: number) => isCertain(defined(soil.conditions[branch]), all, soil.keys)
    const points = firstOf(pointed.get(value) ?? [], isTrue, isLast)
    return merged(points, firstOf(others, isTrue, isLast))
  }
  return {
    kind: 'fork',
    key,
    child(value) {
      const isPoint = pointed.has(value)
      const gap = isPoint ? 0 : gapOf(value, cuts)
      const known = isPoint ? atPoint.get(value) : inGap.get(gap)
      if (known !== undefined) return known
      if (soil.kept > MAX_KEPT) return leaf(matching(value), all, soil)
      const child = grow(matching(value), all, soil)
      if (isPoint) atPoint.set(value, child)
      else inGap.set(gap, child)
      return child
    },
  }
}

/** Whether a branch is true once the tests of these keys hold. */
function isCertain({ tests, isComplete }: Conjuncts, decided: ReadonlySet<number>, keys: readonly string[]): boolean {
  return isComplete && tests.every((test) => decided.has(keys.indexOf(test.key)))
}

/** The branches that match, up to the first that makes later ones unreachable. */
function firstOf(
  branches: readonly number[],
  isTrue: (branch: number) => boolean,
  isLast: (branch: number) => boolean,
): readonly number[] {
  const found: number[] = []
  for (const branch of branches) {
    if (!isTrue(branch)) continue
    found.push(branch)
    if (isLast(branch)) break
  }
  return found
}

function push(groups: Map<Value, number[]>, value: Value, branch: number): void {
  const group = groups.get(value)
  if (group === undefined) groups.set(value, [branch])
  else group.push(branch)
}

/**
 * The equivalence class of a value under all tests: even numbers are the gaps between bounds, odd ones the bounds
 * themselves, -1 is a value without an order among them.
 */
function gapOf(value: Value, cuts: readonly (number | string)[]): number {
  const isText = typeof value === 'string'
  if (!isText && !isNumber(value)) return -1
  if ((isText ? 'string' : 'number') !== typeof cuts[0]) return -1
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (orderOf(defined(cuts[middle]), value) < 0) low = middle + 1
    else high = middle
  }
  const isAtBound = low < cuts.length && orderOf(defined(cuts[low]), value) === 0
  return 2 * low + (isAtBound ? 1 : 0)
}

/** Merges two ascending lists. */
function merged(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left.length === 0) return right
  if (right.length === 0) return left
  return [...left, ...right].sort((a, b) => a - b)
}
