import type { Budget } from '@engine/expression'
import { EntryIndex, namedValues } from './entry-index.ts'
import { FilterError } from './path-search.ts'
import type { Pausing } from './pausable-work.ts'
import type { Choice, Outcome } from './decision-graph.ts'
import { MAX_LENGTH, type Predicate, type Predicates } from './predicate.ts'
import { simplified } from './simplify.ts'

/** Conjunction of conditions, in the order in which they are met. */
export type Path = readonly Predicate[]

export interface Paths {
  /** Empty: no row. A path without conditions: every row. */
  readonly paths: readonly Path[]
  /** There were more paths than the limit. */
  readonly truncated: boolean
}

/**
 * Maximum number of examined paths, including contradictory ones: limits the work if the number of paths is unlimited.
 */
const MAX_TRIED = 30_000

/** A decision on a path: the outcome taken, and the previous decision. */
interface Turn {
  readonly choice: Choice
  /** Index of the entry; the number of entries for the default. */
  readonly taken: number
  readonly before: Turn | undefined
}

/** A decision whose outcomes are being visited. */
interface Cursor {
  readonly choice: Choice
  readonly before: Turn | undefined
  next: number
}

/**
 * The paths to a target, depth first, each as its conditions: specification 4.3, rules 2 to 6. A path is a chain of
 * turns, and its conditions are collected at its end, so that shared prefixes cost nothing.
 *
 * @param limit maximum number of paths; 0: only limited by work
 */
export function* pathsTo(outcome: Outcome, limit: number, predicates: Predicates, budget: Budget): Pausing<Paths> {
  if (outcome.kind !== 'choice') return { paths: outcome.kind === 'target' ? [[]] : [], truncated: false }
  const ways = new Ways(predicates, budget)
  const paths: Path[] = []
  const open: Cursor[] = [{ choice: outcome, before: undefined, next: 0 }]
  let [tried, length] = [0, 0]
  for (let cursor = open.at(-1); cursor !== undefined; cursor = open.at(-1)) {
    budget.spend(2)
    if (budget.wantsPause) yield
    const { choice, before } = cursor
    const taken = cursor.next++
    if (taken > choice.entries.length) {
      open.pop()
      continue
    }
    const next = choice.entries[taken]?.outcome ?? choice.otherwise
    if (next.kind === 'elsewhere') continue
    if (++tried > MAX_TRIED) return EVERYTHING
    const turn: Turn = { choice, taken, before }
    if (next.kind === 'choice') {
      open.push({ choice: next, before: turn, next: 0 })
      continue
    }
    const path = simplified(ways.conditions(turn), predicates, budget)
    if (path === undefined) continue
    if (path.length === 0) return { paths: [[]], truncated: false }
    if (limit > 0 && paths.length >= limit) return EVERYTHING
    paths.push(path)
    length += path.reduce((sum, { weight }) => sum + weight, 0)
    if (length > MAX_LENGTH) throw new FilterError(`the filter would be longer than ${MAX_LENGTH} characters`)
  }
  return { paths: distinct(paths, budget), truncated: false }
}

const EVERYTHING: Paths = { paths: [[]], truncated: true }

/** Collects the conditions of paths. */
class Ways {
  readonly #predicates: Predicates
  readonly #budget: Budget
  readonly #indices = new Map<Choice, EntryIndex>()

  constructor(predicates: Predicates, budget: Budget) {
    this.#predicates = predicates
    this.#budget = budget
  }

  conditions(last: Turn): Path {
    const turns: Turn[] = []
    for (let turn: Turn | undefined = last; turn !== undefined; turn = turn.before) turns.push(turn)
    turns.reverse()
    const own = turns.map(({ choice, taken }) => choice.entries[taken]?.condition.holds ?? this.#predicates.always)
    const named = namedValues(own)
    const found: Predicate[] = []
    for (const [place, { choice, taken }] of turns.entries()) {
      const outcome = choice.entries[taken]?.outcome ?? choice.otherwise
      for (const index of this.#index(choice).before(taken, named)) {
        this.#budget.spend(2)
        const entry = choice.entries[index]
        // The negation of an earlier branch can be omitted when that branch leads to the same outcome.
        if (entry === undefined || (entry.outcome === outcome && EntryIndex.isSilent(entry))) continue
        if (entry.condition.fails.kind !== 'always') found.push(entry.condition.fails)
      }
      const holds = own[place]
      if (holds !== undefined && holds.kind !== 'always') found.push(holds)
    }
    return found
  }

  #index(choice: Choice): EntryIndex {
    const known = this.#indices.get(choice)
    if (known !== undefined) return known
    const made = new EntryIndex(choice.entries, this.#budget)
    this.#indices.set(choice, made)
    return made
  }
}

/** Removes duplicate paths. */
function distinct(paths: readonly Path[], budget: Budget): readonly Path[] {
  const kept = new Map<string, Path>()
  for (const path of paths) {
    budget.spend(8 * (path.length + 1))
    const key = path
      .map(({ id }) => id)
      .sort((one, other) => one - other)
      .join(' ')
    if (!kept.has(key)) kept.set(key, path)
  }
  return [...kept.values()]
}
