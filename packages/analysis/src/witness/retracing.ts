import { defined, type Value, walk } from '@engine/expression'
import { actionsOf, changesVariables, expressionsOf, type Ruleset, type Step } from '@engine/ruleset'
import { ranksOf } from '../graph/ranks.ts'
import type { Candidate } from './model.ts'
import type { Follower, Trail, Visit } from './trail.ts'

/** An execution, and the part of its claims that is new. */
export interface Retraced extends Trail {
  /** The claims of `seen` but those of steps that were not executed again: earlier executions showed them. */
  readonly fresh: readonly string[]
}

type Input = Candidate['input']
type Variables = Map<string, Value>

interface KeptVisit extends Visit {
  readonly step: string
  readonly rank: number
  readonly before: Variables
  readonly after: Variables
}

const NOWHERE = { after: new Map(), shown: [], next: undefined, side: undefined }

/** Steps of a ruleset, its ends apart, from which on an execution is worth keeping. */
const MIN_STEPS = 8

/**
 * Executes inputs that differ from each other in a few fields. One execution is kept; of the next, only steps are executed that
 * read a field that differs, and those on another way, until both meet again with the same variables. The cost is that of these
 * steps, and of comparing the inputs: not of the whole execution. Rulesets with loops, with few steps or with external calls are executed
 * as a whole.
 *
 * Inputs must not change afterwards.
 */
export class Retracing {
  readonly #follower: Follower
  readonly #ruleset: Ruleset
  readonly #isWhole: boolean
  #readers: Readers | undefined
  /** By the rank of their steps. */
  #visits: (KeptVisit | undefined)[] = []
  #input: Input = {}
  #now = Number.NaN
  #side: Trail['side']

  /** @param isWhole whether each execution needs answers of its own */
  constructor(follower: Follower, ruleset: Ruleset, isWhole = false) {
    this.#follower = follower
    this.#isWhole = isWhole
    this.#ruleset = ruleset
  }

  follow({ input, now = 0, stubs }: Candidate): Retraced {
    const follower = this.#follower
    const { ranks, reading, changing } = (this.#readers ??= readersIn(this.#ruleset, this.#isWhole))
    if (ranks === undefined) {
      const trail = follower.follow(input, now, undefined, stubs?.begin())
      return { ...trail, fresh: trail.seen }
    }
    // Only the first step is known before anything is executed.
    const isFirst = this.#now !== now
    if (isFirst) this.#visits = [{ step: this.#ruleset.config.entryStep, rank: 0, before: new Map(), ...NOWHERE }]
    const rankOf = (step: string | undefined): number => (step === undefined ? Infinity : defined(ranks.get(step)))
    const keptAfter = ({ next }: Visit) => this.#visits[rankOf(next)]
    const made: KeptVisit[] = []
    const visit = (step: string, rank: number, before: Variables): KeptVisit => {
      const after = changing.has(step) ? new Map(before) : before
      const { shown, next, side } = follower.visit(step, { input, variables: after, now })
      const one = { step, rank, before, after, shown, next, side }
      made.push(one)
      return one
    }
    const left: KeptVisit[] = []
    const fresh: string[] = []
    let side = this.#side
    let settled = 0
    for (const rank of isFirst ? [0] : reading(changedNames(this.#input, input))) {
      const old = this.#visits[rank]
      if (old === undefined || rank < settled) continue
      let last = visit(old.step, rank, old.before)
      if (last.shown !== old.shown) fresh.push(...last.shown)
      let kept = keptAfter(old)
      for (;;) {
        settled = rankOf(last.next)
        // Counting beyond the limit below would cost the length of the kept execution.
        const most = last.next === undefined ? made.length : Infinity
        for (; kept !== undefined && kept.rank < settled && left.length <= most; kept = keptAfter(kept)) left.push(kept)
        if (last.next === undefined) {
          side = last.side
          break
        }
        if (kept?.step === last.next && areSame(kept.before, last.after)) break
        last = visit(last.next, settled, last.after)
        fresh.push(...last.shown)
      }
    }
    // An execution that ends early is not worth forgetting a longer one.
    if (left.length <= made.length) {
      for (const one of left) this.#visits[one.rank] = undefined
      for (const one of made) this.#visits[one.rank] = one
      this.#input = input
      this.#now = now
      this.#side = side
    }
    let seen: readonly string[] | undefined
    return {
      fresh,
      side,
      get seen() {
        return (seen ??= follower.follow(input, now).seen)
      },
    }
  }
}

interface Readers {
  /** Undefined: no execution is kept. */
  readonly ranks: ReadonlyMap<string, number> | undefined
  /** Steps that change variables. */
  readonly changing: ReadonlySet<string>
  /** The ranks of the steps that read some members of the input, in order. */
  readonly reading: (names: readonly string[]) => readonly number[]
}

/** Linear in the ruleset. */
function readersIn({ steps, config }: Ruleset, isWhole: boolean): Readers {
  const inner = [...steps.values()].filter(({ type }) => type !== 'terminal')
  const ranks = isWhole || inner.length < MIN_STEPS ? undefined : ranksOf({ steps, config })
  const changing = new Set<string>()
  const byName = new Map<string | undefined, number[]>()
  for (const [id, rank] of ranks ?? []) {
    const step = defined(steps.get(id))
    if (actionsOf(step).some(changesVariables)) changing.add(id)
    for (const name of namesReadBy(step)) {
      const known = byName.get(name)
      if (known === undefined) byName.set(name, [rank])
      else known.push(rank)
    }
  }
  const reading = (names: readonly string[]): readonly number[] =>
    names.length === 0
      ? []
      : [undefined, ...names].flatMap((name) => byName.get(name) ?? []).toSorted((left, right) => left - right)
  return { ranks, changing, reading }
}

/** The names of the members of the input that a step may read; undefined: any. */
function namesReadBy(step: Step): ReadonlySet<string | undefined> {
  const names = new Set<string | undefined>()
  for (const action of actionsOf(step))
    if (action.action === 'call_ruleset' && action.inputMapping === undefined) names.add(undefined)
  for (const expression of expressionsOf(step))
    walk(expression, (node) => {
      const [first] = node.kind === 'field' ? node.path : []
      if (node.kind === 'field') names.add(first?.kind === 'name' ? first.name : undefined)
    })
  return names
}

/** The names of the members in which two inputs may differ. */
function changedNames(before: Input, after: Input): readonly string[] {
  return Object.keys({ ...before, ...after }).filter((name) => !Object.is(before[name], after[name]))
}

function areSame(one: Variables, other: Variables): boolean {
  return (
    one === other || (one.size === other.size && [...one].every(([name, value]) => Object.is(other.get(name), value)))
  )
}
