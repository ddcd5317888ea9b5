import type { Outcome } from './outcome.ts'
import { complement, keyOf, type Predicate } from './predicate.ts'
import { simplified } from './simplify.ts'

/** Conditions that hold together, in the order in which they are met. */
export type Path = readonly Predicate[]

export interface Paths {
  /** None: no row. One without conditions: every row. */
  readonly paths: readonly Path[]
  /** There were more than the limit. */
  readonly truncated: boolean
}

/** Ways that are tried, those that no row can go among them: a limit on work when there is none on paths. */
const MAX_TRIED = 30_000
/** Conditions of all paths together: a limit on the length of the answer. */
const MAX_CONDITIONS = 100_000
/** Paths up to this number are compared with each other. */
const MAX_COMPARED = 120

/** The ways to a target, each as its conditions. @param limit 0: none but the one on work */
export function pathsTo(outcome: Outcome, limit: number): Paths {
  const paths: Path[] = []
  let tried = 0
  let size = 0
  let truncated = false

  const follow = (next: Outcome, conditions: Path): void => {
    if (truncated) return
    if (next.kind !== 'choice') return next.kind === 'target' ? found(conditions) : undefined
    if (++tried > MAX_TRIED) {
      truncated = true
      return
    }
    let before = conditions
    for (const { condition, isWide, outcome: taken } of next.entries) {
      follow(taken, withCondition(before, condition.holds))
      // That an earlier branch was not taken need not be said when whoever takes it gets there too.
      const isRedundant = taken.kind === 'target' && !condition.canFail && !isWide
      if (!isRedundant) before = withCondition(before, condition.fails)
    }
    follow(next.otherwise, before)
  }

  const found = (conditions: Path): void => {
    tried++
    const path = simplified(conditions)
    if (path === undefined || truncated) return
    size += path.length
    if ((limit > 0 && paths.length >= limit) || size > MAX_CONDITIONS) truncated = true
    else paths.push(path)
  }

  follow(outcome, [])
  return truncated ? { paths: [[]], truncated } : { paths: merged(paths), truncated }
}

function withCondition(conditions: Path, predicate: Predicate): Path {
  return predicate.kind === 'always' ? conditions : [...conditions, predicate]
}

/** The same rows in fewer words: paths that another contains go, and so does what tells two paths apart in vain. */
function merged(given: readonly Path[]): readonly Path[] {
  if (given.some((path) => path.length === 0)) return [[]]
  if (given.length > MAX_COMPARED) return distinct(given)
  let paths = distinct(given)
  for (let changed = true; changed;) {
    changed = false
    for (const [index, path] of paths.entries()) {
      const shorter = paths.reduce((current, other) => (other === path ? current : shortened(current, other)), path)
      if (shorter === path) continue
      if (shorter.length === 0) return [[]]
      paths = distinct(paths.with(index, shorter))
      changed = true
      break
    }
  }
  return absorbed(paths)
}

/** `A or (not A and B)` is `A or B`: a condition goes whose complement is, with the rest, another path. */
function shortened(path: Path, other: Path): Path {
  const keys = new Set(path.map(keyOf))
  for (const condition of path) {
    const [own, opposite] = [keyOf(condition), keyOf(complement(condition))]
    // The other one must not ask for the condition itself too: it would be no path at all.
    const fits = other.every((part) => keyOf(part) === opposite || (keyOf(part) !== own && keys.has(keyOf(part))))
    if (fits && other.some((part) => keyOf(part) === opposite)) return path.filter((part) => part !== condition)
  }
  return path
}

function absorbed(paths: readonly Path[]): readonly Path[] {
  const keys = paths.map((path) => new Set(path.map(keyOf)))
  return paths.filter((_path, index) => {
    const mine = keys[index] as Set<string>
    return !keys.some((other, place) => place !== index && other.size < mine.size && other.isSubsetOf(mine))
  })
}

function distinct(paths: readonly Path[]): readonly Path[] {
  const kept = new Map<string, Path>()
  for (const path of paths) {
    const key = path.map(keyOf).sort().join(' and ')
    if (!kept.has(key)) kept.set(key, path)
  }
  return [...kept.values()]
}
