import { type Literal, type Solver } from '../search/solver.ts'
import type { SymbolicRuleset } from './symbolic.ts'
import { textOf, type Variables } from './substitution.ts'

/** A step, entered with some variables, and when that happens. */
export interface State {
  readonly step: string
  readonly variables: Variables
  /** Steps entered on the first way, this one included; on all ways where there are loops. */
  readonly depth: number
  /** Made when it is first read: a step that was seen to be entered needs none. */
  readonly reach: Literal
}

/** When a step is entered from another one. */
type Entrance = Literal | (() => Literal)

interface Level {
  readonly step: string
  readonly variables: Variables
  readonly depth: number
  readonly ways: Entrance[]
}

/**
 * The states that are still to be looked at, each after all that lead to it: paths that meet with the same variables are
 * one state.
 */
export class States {
  readonly #solver: Solver
  readonly #symbolic: SymbolicRuleset
  readonly #levels: Map<string, Level>[] = []
  #level = 0

  constructor(solver: Solver, symbolic: SymbolicRuleset) {
    this.#solver = solver
    this.#symbolic = symbolic
  }

  /** A way on which a step is entered. */
  add(step: string, variables: Variables, depth: number, way: Entrance): void {
    const { ranks } = this.#symbolic
    const rank = ranks === undefined ? depth : (ranks.get(step) ?? 0)
    const level = (this.#levels[rank] ??= new Map())
    const entering = this.#symbolic.entering(step, variables, depth)
    const key = `${step}\n${textOf(entering)}`
    const known = level.get(key)
    if (known === undefined) level.set(key, { step, variables: entering, depth, ways: [way] })
    else known.ways.push(way)
  }

  next(): State | undefined {
    for (; this.#level < this.#levels.length; this.#level++) {
      const level = this.#levels[this.#level]
      const first = level?.entries().next().value
      if (level === undefined || first === undefined) continue
      const [key, { step, variables, depth, ways }] = first
      level.delete(key)
      const solver = this.#solver
      let reach: Literal | undefined
      return {
        step,
        variables,
        depth,
        get reach() {
          return (reach ??= solver.or(ways.map((way) => (typeof way === 'number' ? way : way()))))
        },
      }
    }
    return undefined
  }
}
