import { defined } from '@engine/expression'
import { type Literal, negated, type Solver, TRUE } from '../search/solver.ts'
import type { Order } from './order.ts'

/** A point of a line. */
export interface Cut<Point> {
  readonly at: Point
  /** The value comes before the cut. */
  readonly below: Literal
  /** The value is the cut or comes before it. */
  readonly atMost: Literal
}

/** Bounds of a value under an assignment. */
export interface Bounds<Point> {
  readonly low: Point | undefined
  readonly isLowOpen: boolean
  readonly high: Point | undefined
  readonly isHighOpen: boolean
  /** The literals that imply them. */
  readonly because: readonly Literal[]
}

/** A part of a line: a point, or an open interval between two cuts. */
export interface Stretch<Point> {
  readonly literal: Literal
  /** One value of it. */
  readonly example: Point
}

/** The place of one value in its order, by the cuts that matter for it; cuts can be added at any time. */
export class Line<Point> {
  readonly #solver: Solver
  readonly #order: Order<Point>
  readonly #cuts: Cut<Point>[] = []

  constructor(solver: Solver, order: Order<Point>) {
    this.#solver = solver
    this.#order = order
  }

  /** In rising order. */
  get cuts(): readonly Cut<Point>[] {
    return this.#cuts
  }

  below(point: Point): Literal {
    return this.#cutAt(point).below
  }

  atMost(point: Point): Literal {
    return this.#cutAt(point).atMost
  }

  equals(point: Point): Literal {
    const cut = this.#cutAt(point)
    return this.#solver.and([cut.atMost, negated(cut.below)])
  }

  /**
   * The parts into which the given cuts divide the line, in order. Neighbours for which `join` gives the same are one.
   */
  stretches<Found>(
    points: readonly Point[],
    join: (example: Point) => Found,
  ): readonly (Stretch<Point> & { found: Found })[] {
    const cuts = points
      .toSorted((left, right) => (this.#order.precedes(left, right) ? -1 : 1))
      .map((point) => this.#cutAt(point))
    const parts: { from: Literal; to: Literal; example: Point; found: Found }[] = []
    const add = (from: Literal, to: Literal, example: Point | undefined): void => {
      if (example === undefined) return
      const found = join(example)
      const last = parts.at(-1)
      if (last !== undefined && last.found === found) last.to = to
      else parts.push({ from, to, example, found })
    }
    let from: Literal = TRUE
    let low: Point | undefined
    for (const cut of cuts) {
      add(from, cut.below, this.#order.between(low, cut.at))
      add(negated(cut.below), cut.atMost, cut.at)
      from = negated(cut.atMost)
      low = cut.at
    }
    add(from, TRUE, this.#order.between(low, undefined))
    return parts.map((part) => ({
      literal: this.#solver.and([part.from, part.to]),
      example: part.example,
      found: part.found,
    }))
  }

  /** The bounds that the solver's assignment gives. */
  bounds(): Bounds<Point> {
    const because: Literal[] = []
    const before = this.#search((cut) => this.#solver.valueOf(cut.below) === false)
    const cut = this.#cuts[before - 1]
    let low: Point | undefined
    let isLowOpen = false
    if (cut !== undefined) {
      low = cut.at
      isLowOpen = this.#solver.valueOf(cut.atMost) === false
      because.push(negated(isLowOpen ? cut.atMost : cut.below))
    }
    const last = this.#cuts[this.#search((one) => this.#solver.valueOf(one.atMost) !== true)]
    let high: Point | undefined
    let isHighOpen = false
    if (last !== undefined) {
      high = last.at
      isHighOpen = this.#solver.valueOf(last.below) === true
      because.push(isHighOpen ? last.below : last.atMost)
    }
    return { low, isLowOpen, high, isHighOpen, because }
  }

  /** A value within bounds; undefined when there is none. */
  within({ low, isLowOpen, high, isHighOpen }: Bounds<Point>): Point | undefined {
    if (low !== undefined && !isLowOpen) return low
    if (high !== undefined && !isHighOpen) return high
    return this.#order.between(low, high)
  }

  /** How many cuts from the first on satisfy a condition that holds for a beginning of them. */
  #search(holds: (cut: Cut<Point>) => boolean): number {
    let from = 0
    let to = this.#cuts.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (holds(defined(this.#cuts[middle]))) from = middle + 1
      else to = middle
    }
    return from
  }

  #cutAt(at: Point): Cut<Point> {
    const index = this.#search((cut) => this.#order.precedes(cut.at, at))
    const found = this.#cuts[index]
    if (found !== undefined && !this.#order.precedes(at, found.at)) return found
    const cut = { at, below: this.#solver.createVariable(), atMost: this.#solver.createVariable() }
    this.#cuts.splice(index, 0, cut)
    const before = this.#cuts[index - 1]
    const after = this.#cuts[index + 1]
    this.#solver.addClause([negated(cut.below), cut.atMost])
    this.#connect(before, cut)
    if (after !== undefined) this.#connect(cut, after)
    else if (this.#order.between(at, undefined) === undefined) this.#solver.addClause([cut.atMost])
    return cut
  }

  #connect(before: Cut<Point> | undefined, after: Cut<Point>): void {
    if (before !== undefined) this.#solver.addClause([negated(before.atMost), after.below])
    if (this.#order.between(before?.at, after.at) === undefined)
      this.#solver.addClause([before?.atMost ?? negated(TRUE), negated(after.below)])
  }
}
