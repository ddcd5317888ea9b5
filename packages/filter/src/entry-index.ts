import type { Budget } from '@engine/expression'
import type { Entry } from './decision-graph.ts'
import { keyOf, keysOf, type Predicate } from './predicate.ts'

/** The values, by key, that a path requires for a non-null column. */
export type Named = ReadonlyMap<string, ReadonlySet<string>>

/** The columns whose values a conjunction of conditions lists. */
export function namedValues(conditions: readonly Predicate[]): Named {
  const named = new Map<string, ReadonlySet<string>>()
  for (const condition of conditions.flatMap((one) => (one.kind === 'and' ? one.parts : [one]))) {
    if (condition.kind !== 'test' || condition.orNull) continue
    const { path, test } = condition
    if (test.op === 'eq') named.set(path, new Set([keyOf(test.value)]))
    else if (test.op === 'in' && !named.has(path)) named.set(path, keysOf(test))
  }
  return named
}

/** Entries of one column: those that matter only for certain values, and the others. */
interface Column {
  readonly byKey: Map<string, number[]>
  readonly indexed: Set<number>
  others: readonly number[] | undefined
}

/** Fewer entries are searched linearly. */
const MAX_LINEAR_ENTRIES = 16
/** More values than this are not looked up individually. */
const MAX_LOOKED_UP_VALUES = 64

/**
 * The entries of a decision, indexed by the values for which their negation must be written. A path with `a = 7` does
 * not need `a != 1`, `a != 2`, …: of a thousand entries that each name a value of `a` only those that name 7 remain.
 * Otherwise a decision with n branches has n²/2 conditions to examine.
 */
export class EntryIndex {
  readonly #budget: Budget
  /** Entries whose negation must be written at all. */
  readonly #said: readonly number[]
  readonly #columns = new Map<string, Column>()

  constructor(entries: readonly Entry[], budget: Budget) {
    this.#budget = budget
    budget.spend(2 * entries.length)
    this.#said = entries.flatMap((entry, index) =>
      entry.outcome.kind === 'target' && EntryIndex.isSilent(entry) ? [] : [index],
    )
    if (this.#said.length <= MAX_LINEAR_ENTRIES) return
    for (const index of this.#said) {
      const entry = entries[index]
      if (entry === undefined) continue
      for (const [path, keys] of excluded(entry.condition.fails, budget)) this.#add(path, index, keys)
    }
  }

  /** Whether an entry can be omitted when its branch and the later ones have the same outcome. */
  static isSilent({ condition, isWide }: Entry): boolean {
    return !condition.canFail && !isWide
  }

  /** Indices below `taken` of the entries that are not implied by the path's values, in order. */
  before(taken: number, named: Named): readonly number[] {
    const candidates = this.#candidates(named)
    this.#budget.spend(candidates.length)
    return candidates.filter((index) => index < taken)
  }

  #candidates(named: Named): readonly number[] {
    let best: readonly [column: Column, keys: ReadonlySet<string>] | undefined
    for (const [path, keys] of named) {
      const column = this.#columns.get(path)
      if (column === undefined || keys.size > MAX_LOOKED_UP_VALUES || 2 * column.indexed.size < this.#said.length)
        continue
      if (best === undefined || column.indexed.size > best[0].indexed.size) best = [column, keys]
    }
    if (best === undefined) return this.#said
    const [column, keys] = best
    column.others ??= this.#said.filter((index) => !column.indexed.has(index))
    const found = new Set(column.others)
    for (const key of keys) for (const index of column.byKey.get(key) ?? []) found.add(index)
    return [...found].sort((one, other) => one - other)
  }

  #add(path: string, index: number, keys: ReadonlySet<string>): void {
    let column = this.#columns.get(path)
    if (column === undefined) {
      column = { byKey: new Map(), indexed: new Set(), others: undefined }
      this.#columns.set(path, column)
    }
    this.#budget.create(ENTRY * (keys.size + 1))
    column.indexed.add(index)
    for (const key of keys) {
      const known = column.byKey.get(key)
      if (known === undefined) column.byKey.set(key, [index])
      else known.push(index)
    }
  }
}

/** Approximate bytes of one place in the index. */
const ENTRY = 60

/**
 * By column, the values outside of which a condition holds for every row with a non-null column: `a != 1` holds for all
 * but 1, and so does `a != 1 OR b > 2`.
 */
function excluded(condition: Predicate, budget: Budget): ReadonlyMap<string, ReadonlySet<string>> {
  budget.spend(4)
  switch (condition.kind) {
    case 'test': {
      const { path, test } = condition
      if (test.op === 'ne') return new Map([[path, new Set([keyOf(test.value)])]])
      return test.op === 'not_in' ? new Map([[path, keysOf(test)]]) : new Map()
    }
    case 'or': {
      const found = new Map<string, ReadonlySet<string>>()
      for (const part of condition.parts)
        for (const [path, keys] of excluded(part, budget)) if (!found.has(path)) found.set(path, keys)
      return found
    }
    case 'and': {
      const [first, ...rest] = condition.parts.map((part) => excluded(part, budget))
      const common = new Map([...(first ?? [])].map(([path, keys]) => [path, new Set(keys)] as const))
      for (const keys of rest) {
        for (const [path, all] of common) {
          const more = keys.get(path)
          if (more === undefined) common.delete(path)
          else for (const key of more) all.add(key)
        }
      }
      return common
    }
    default:
      return new Map()
  }
}
