import { defined } from '@engine/expression'
import { type Literal, negated, type Solver } from '../search/solver.ts'
import type { Cut } from '../terms/line.ts'
import type { NumberPoint } from '../terms/order.ts'
import type { Kind, Term } from '../terms/term.ts'

export type Point = NumberPoint | string

/** A place between values of a line: directly before a point, or directly behind it. */
export interface Edge {
  readonly at: Point
  readonly isBehind: boolean
  /** The value comes behind the edge. */
  readonly passed: Literal
}

/** The values between two edges; undefined: there is no bound. */
export interface Interval {
  readonly from: Edge | undefined
  readonly to: Edge | undefined
}

/** Some values of one kind. */
export interface Part {
  /** In rising order, and apart from each other. Kinds without an order have one interval without bounds. */
  readonly intervals: readonly Interval[]
  /** Features that the values have, or do not have if negated. */
  readonly features: readonly Literal[]
}

/** Some values of a term; a kind that is absent has none. */
export type Values = ReadonlyMap<Kind, Part>

export const WHOLE: Part = { intervals: [{ from: undefined, to: undefined }], features: [] }

export function isWhole({ intervals: [first, second], features }: Part): boolean {
  return first?.from === undefined && first?.to === undefined && second === undefined && features.length === 0
}

/** The edges of a kind in rising order. */
export function edgesOf({ numbers, texts }: Term, kind: Kind): readonly Edge[] {
  const cuts: readonly Cut<Point>[] = kind === 'number' ? numbers.cuts : kind === 'text' ? texts.cuts : []
  return cuts.flatMap(({ at, below, atMost }) => [
    { at, isBehind: false, passed: negated(below) },
    { at, isBehind: true, passed: negated(atMost) },
  ])
}

/** The values that the solver's assignment leaves to a term. Linear in its edges and features. */
export function assignedValues(solver: Solver, term: Term): Values {
  const values = new Map<Kind, Part>()
  for (const [kind, literal] of term.kinds) {
    if (solver.valueOf(literal) === false) continue
    const edges = edgesOf(term, kind)
    const interval = {
      from: edges.findLast(({ passed }) => solver.valueOf(passed) === true),
      to: edges.find(({ passed }) => solver.valueOf(passed) === false),
    }
    const features = [...term.features.values()].flatMap(({ kinds, literal: feature }) => {
      const value = kinds.includes(kind) ? solver.valueOf(feature) : undefined
      return value === undefined ? [] : [value ? feature : negated(feature)]
    })
    values.set(kind, { intervals: [interval], features })
  }
  if (values.size > 1) values.delete('error')
  return values
}

/** The literal that a term has one of the values. */
export function literalOf(solver: Solver, term: Term, values: Values): Literal {
  return solver.or(
    [...values].map(([kind, { intervals, features }]) =>
      solver.and([term.is(kind), solver.or(intervals.map((one) => solver.and(boundsOf(one)))), ...features]),
    ),
  )
}

/** The literals that a value is in an interval. */
export function boundsOf({ from, to }: Interval): readonly Literal[] {
  return [...(from === undefined ? [] : [from.passed]), ...(to === undefined ? [] : [negated(to.passed)])]
}

/** The values of either; undefined where their features differ, so that they are not one part of a kind. */
export function union(term: Term, one: Values, other: Values): Values | undefined {
  const values = new Map(one)
  for (const [kind, part] of other) {
    const known = values.get(kind)
    const joined = known === undefined ? part : unionOfParts(term, kind, known, part)
    if (joined === undefined) return undefined
    values.set(kind, joined)
  }
  return values
}

function unionOfParts(term: Term, kind: Kind, one: Part, other: Part): Part | undefined {
  if (isWhole(one) || isWhole(other)) return WHOLE
  if (boundsText(one) === boundsText(other)) {
    const common = one.features.filter((feature) => other.features.includes(feature))
    const [first, second] = [one, other].map(({ features }) => features.filter((feature) => !common.includes(feature)))
    if (first?.length === 0 || second?.length === 0) return { ...one, features: common }
    const areOpposite = first?.length === 1 && second?.length === 1 && first[0] === negated(defined(second[0]))
    if (areOpposite) return { ...one, features: common }
  }
  if (featuresText(one) !== featuresText(other)) return undefined
  const order = new Map(edgesOf(term, kind).map(({ passed }, index) => [passed, index]))
  const rank = (edge: Edge | undefined, otherwise: number) =>
    edge === undefined ? otherwise : (order.get(edge.passed) ?? otherwise)
  const sorted = [...one.intervals, ...other.intervals].toSorted(
    (left, right) => rank(left.from, -1) - rank(right.from, -1),
  )
  const intervals: Interval[] = []
  for (const next of sorted) {
    const last = intervals.at(-1)
    if (last === undefined || rank(last.to, Infinity) < rank(next.from, -1)) intervals.push(next)
    else if (rank(next.to, Infinity) > rank(last.to, Infinity))
      intervals[intervals.length - 1] = { from: last.from, to: next.to }
  }
  return { intervals, features: one.features }
}

/** A text that is equal for the same intervals. */
function boundsText({ intervals }: Part): string {
  return intervals.map(({ from, to }) => `${from?.passed ?? ''}..${to?.passed ?? ''}`).join()
}

/** A text that is equal for the same features. */
function featuresText({ features }: Part): string {
  return features.toSorted((left, right) => left - right).join()
}

/** All other values of a term; undefined where the given ones have features. */
export function complement(term: Term, values: Values): Values | undefined {
  const rest = new Map<Kind, Part>()
  for (const kind of term.kinds.keys()) {
    const { intervals, features } = values.get(kind) ?? { intervals: [], features: [] }
    if (features.length > 0) return undefined
    const gaps: Interval[] = []
    let from: Edge | undefined
    let isOpen = true
    for (const interval of intervals) {
      if (interval.from !== undefined) gaps.push({ from, to: interval.from })
      from = interval.to
      isOpen = from !== undefined
    }
    if (isOpen) gaps.push({ from, to: undefined })
    if (gaps.length > 0) rest.set(kind, { intervals: gaps, features: [] })
  }
  return rest
}
