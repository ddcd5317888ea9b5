import { defined, type Expression } from '@engine/expression'
import type { Encoder } from '../formula/encoder.ts'
import type { Pair } from '../formula/pairs.ts'
import { type Answer, type Check, type Literal, negated, type Theory } from '../search/solver.ts'
import type { Kind, Term } from '../terms/term.ts'
import {
  assignedValues,
  type Edge,
  boundsOf,
  edgesOf,
  type Interval,
  literalOf,
  type Part,
  union,
  type Values,
  WHOLE,
} from './values.ts'

/** Inputs whose terms have some values, and of which further facts hold: all of them together. */
export interface Cube {
  readonly literal: Literal
  readonly values: ReadonlyMap<Term, Values>
  /** By term: that it has one of the values. */
  readonly literals: ReadonlyMap<Term, Literal>
  readonly facts: readonly Fact[]
}

/** Something that holds of an input apart from the values of single terms. */
export type Fact =
  | { readonly literal: Literal; readonly pair: Pair; readonly operator: '<' | '<=' | '==' | '!=' | '>=' }
  /** A computation ends in a number. */
  | { readonly literal: Literal; readonly finite: Expression }
  /** It has no name in the language. */
  | { readonly literal: Literal; readonly isUnnamed: true }

/** Sets of inputs that together are those of a formula, or some of them. */
export interface Cover {
  readonly cubes: readonly Cube[]
  /** Proved: no further input satisfies the formula. */
  readonly isComplete: boolean
}

/** Sets that describe a formula. */
const MAX_CUBES = 64
/** The same where one of them has no text. */
const MAX_EXCLUDED = 8

/** Decides whether arithmetic allows an answer of the solver. */
interface ArithmeticCheck {
  /** Before a question. */
  begin(): void
  check(): Check
}

/**
 * Describes formulas by sets of inputs. An input is found that no set has yet, and its set is made as large as the formula allows (a
 * prime implicant): terms that do not matter are left out, and bounds are widened. Most inputs differ from a set by one term, whose
 * values are added. A set takes a question for each kind of value of its terms and a logarithmic number for each bound; an
 * input that widens a set takes about five.
 */
export class Covers {
  readonly #encoder: Encoder
  readonly #arithmetic: ArithmeticCheck
  readonly #isExpressible: (cube: Cube) => boolean

  /** @param isExpressible whether a set has a text: a formula that needs others is not covered completely */
  constructor(encoder: Encoder, arithmetic: ArithmeticCheck, isExpressible: (cube: Cube) => boolean) {
    this.#encoder = encoder
    this.#arithmetic = arithmetic
    this.#isExpressible = isExpressible
  }

  /**
   * Inputs that satisfy a formula.
   *
   * @param budget assignments of the search; when they end, the cover is not complete
   */
  of(formula: Literal, budget: number): Cover {
    const search = new Search(this.#encoder, { formula, budget, arithmetic: this.#arithmetic })
    let cubes: readonly Cube[] = []
    let excluded: readonly Cube[] = []
    for (;;) {
      const open = [formula, ...[...cubes, ...excluded].map(({ literal }) => negated(literal))]
      // Whether arithmetic allows an answer matters only for a new set.
      const wider = search.solve(open) === 'satisfiable' ? search.widened(cubes) : undefined
      if (wider !== undefined) {
        cubes = wider
        continue
      }
      const answer = search.solveExactly(open)
      const isFull = cubes.length + excluded.length >= (excluded.length === 0 ? MAX_CUBES : MAX_EXCLUDED)
      const cube = answer === 'satisfiable' && !isFull ? search.cube() : undefined
      if (cube === undefined)
        return { cubes: search.fewest(cubes), isComplete: answer === 'unsatisfiable' && excluded.length === 0 }
      if (this.#isExpressible(cube)) cubes = [...cubes, cube]
      else excluded = [...excluded, cube]
    }
  }
}

/** A set that is being made larger. */
interface Draft {
  readonly values: Map<Term, Values>
  readonly literals: Map<Term, Literal>
  facts: readonly Fact[]
}

const isField = ({ field }: Term): boolean => field !== undefined

/** Whether facts compare a term: they mean one kind of its values only. */
const isTied = (facts: readonly Fact[], term: Term): boolean =>
  facts.some((fact) => 'pair' in fact && (fact.pair.left === term || fact.pair.right === term))

type Comparison = Extract<Fact, { readonly pair: Pair }>

/** Whether a comparison may be too narrow: less and equal are two facts, and either is one. */
const isAtMost = (fact: Fact): fact is Comparison => 'pair' in fact && (fact.operator === '<' || fact.operator === '==')

/** The search for the sets of one formula. */
class Search {
  readonly #encoder: Encoder
  readonly #formula: Literal
  readonly #arithmetic: ArithmeticCheck
  readonly #end: number

  constructor(
    encoder: Encoder,
    {
      formula,
      budget,
      arithmetic,
    }: { readonly formula: Literal; readonly budget: number; readonly arithmetic: ArithmeticCheck },
  ) {
    this.#encoder = encoder
    this.#formula = formula
    this.#arithmetic = arithmetic
    this.#end = encoder.solver.work + budget
  }

  /** Whether assumptions can hold together, in arithmetic too. */
  solveExactly(assumptions: readonly Literal[]): Answer {
    this.#arithmetic.begin()
    return this.solve(assumptions, () => this.#arithmetic.check())
  }

  solve(assumptions: readonly Literal[], theory?: Theory): Answer {
    const { solver } = this.#encoder
    return solver.solve(assumptions, Math.max(0, this.#end - solver.work), theory)
  }

  /** The sets of which one has further values of a term, so that it contains the last answer too; undefined: none can. */
  widened(cubes: readonly Cube[]): readonly Cube[] | undefined {
    const { solver } = this.#encoder
    const isTrue = (literal: Literal) => solver.valueOf(literal) === true
    const near = cubes.flatMap((cube) => {
      const [outside, ...more] = [...cube.literals].filter(([, literal]) => !isTrue(literal))
      if (outside === undefined || more.length > 0 || !cube.facts.every(({ literal }) => isTrue(literal))) return []
      const [term] = outside
      return isTied(cube.facts, term) ? [] : [{ cube, term, values: assignedValues(solver, term) }]
    })
    for (const { cube, term, values } of near) {
      const rest = literalsOf(cube, term)
      const [kind, ...kinds] = values.keys()
      if (kind === undefined || kind === 'error' || kinds.length > 0) continue
      const { intervals, features } = defined(values.get(kind))
      if (!this.#implies([...rest, term.is(kind), ...features, ...intervals.flatMap(boundsOf)])) continue
      const further = this.#widenedValues(term, values, rest)
      const joined = union(term, defined(cube.values.get(term)), further)
      const wider = joined && this.#cubeWith(cube, term, joined)
      if (wider !== undefined) return cubes.map((one) => (one === cube ? wider : one))
    }
    return undefined
  }

  /** A largest set around the last answer; undefined: the budget ended. */
  cube(): Cube | undefined {
    const draft = this.#draft()
    if (draft === undefined) return undefined
    const { values, literals } = draft
    for (const fact of draft.facts) {
      const others = draft.facts.filter((one) => one !== fact)
      const weaker = [others, ...(isAtMost(fact) ? [[...others, this.#atMost(fact)]] : [])]
      draft.facts = weaker.find((facts) => this.#implies(literalsOf({ literals, facts }))) ?? draft.facts
    }
    // Computed terms are dropped first: fields are easier to read.
    const computedFirst = [...values].toSorted(([left], [right]) => Number(isField(left)) - Number(isField(right)))
    for (const [term, given] of computedFirst) {
      const rest = literalsOf(draft, term)
      const isFixed = isTied(draft.facts, term)
      if (!isFixed && (this.#implies(rest) || (!isField(term) && this.#impliesExactly(rest)))) {
        values.delete(term)
        literals.delete(term)
        continue
      }
      const others = isFixed || !isField(term) ? [] : [...term.kinds.keys()].filter((kind) => !given.has(kind))
      const wide = this.#widenedValues(term, given, rest, others)
      values.set(term, wide)
      literals.set(term, literalOf(this.#encoder.solver, term, wide))
    }
    return this.#cubeOf(values, literals, draft.facts)
  }

  #atMost({ pair }: Comparison): Fact {
    return { pair, operator: '<=', literal: this.#encoder.solver.or([pair.less, pair.equal]) }
  }

  /** The part of the last answer that is enough for the formula; undefined: the budget ended. */
  #draft(): Draft | undefined {
    const { solver, terms } = this.#encoder
    const facts = this.#assignedFacts()
    const values = new Map([...terms.values()].map((term) => [term, assignedValues(solver, term)]))
    const literals = new Map([...values].map(([term, own]) => [term, literalOf(solver, term, own)]))
    if (!this.#implies(literalsOf({ literals, facts }))) return undefined
    const core = new Set(solver.core)
    const kept = facts.filter(({ literal }) => core.has(literal))
    for (const [term, literal] of literals)
      if (!core.has(literal) && !isTied(kept, term)) {
        values.delete(term)
        literals.delete(term)
      }
    return { values, literals, facts: kept }
  }

  /** Fewer sets with the same inputs: sets that differ in the values of one term become one, and those that others contain are left out. */
  fewest(given: readonly Cube[]): readonly Cube[] {
    let cubes = given
    let count: number
    do {
      count = cubes.length
      cubes = this.#joined(cubes)
    } while (cubes.length < count)
    for (const cube of cubes) {
      const others = cubes.filter((one) => one !== cube)
      if (this.solve([cube.literal, ...others.map(({ literal }) => negated(literal))]) === 'unsatisfiable')
        cubes = others
    }
    return cubes
  }

  #joined(cubes: readonly Cube[]): readonly Cube[] {
    let joined = cubes
    for (const term of this.#encoder.terms.values()) {
      const [having, others] = [
        joined.filter(({ values }) => values.has(term)),
        joined.filter(({ values }) => !values.has(term)),
      ]
      // The same literals give the same gate.
      const alike = Map.groupBy(having, (cube) => this.#encoder.solver.and(literalsOf(cube, term)))
      joined = [...others, ...[...alike.values()].flatMap((group) => this.#joinedIn(term, group))]
    }
    return joined
  }

  /** The same for sets that differ in one term only. */
  #joinedIn(term: Term, cubes: readonly Cube[]): readonly Cube[] {
    const joined: Cube[] = []
    for (const cube of cubes) {
      const own = defined(cube.values.get(term))
      const last = joined.at(-1)
      const values = last && union(term, defined(last.values.get(term)), own)
      if (last === undefined || values === undefined) joined.push(cube)
      else joined[joined.length - 1] = this.#cubeWith(last, term, values)
    }
    return joined
  }

  #cubeOf(values: ReadonlyMap<Term, Values>, literals: ReadonlyMap<Term, Literal>, facts: readonly Fact[]): Cube {
    const literal = this.#encoder.solver.and([...literals.values(), ...facts.map((fact) => fact.literal)])
    return { literal, values, literals, facts }
  }

  /** A set with other values of a term. */
  #cubeWith({ values, literals, facts }: Cube, term: Term, joined: Values): Cube {
    const literal = literalOf(this.#encoder.solver, term, joined)
    return this.#cubeOf(new Map(values).set(term, joined), new Map(literals).set(term, literal), facts)
  }

  /** Whether all inputs with these properties satisfy the formula, by logic alone. */
  #implies(literals: readonly Literal[]): boolean {
    return this.solve([negated(this.#formula), ...literals]) === 'unsatisfiable'
  }

  #impliesExactly(literals: readonly Literal[]): boolean {
    return this.solveExactly([negated(this.#formula), ...literals]) === 'unsatisfiable'
  }

  /** Comparisons that the assignment decides, and the literals of neither terms nor comparisons that justify the formula. */
  #assignedFacts(): readonly Fact[] {
    const { solver, terms, pairs } = this.#encoder
    const facts: Fact[] = []
    const known = new Set<number>()
    for (const pair of pairs.values()) {
      const areBoth =
        solver.valueOf(pair.left.is(pair.kind)) === true && solver.valueOf(pair.right.is(pair.kind)) === true
      for (const [literal, isTrue, isFalse] of [
        [pair.less, '<', '>='],
        [pair.equal, '==', '!='],
      ] as const) {
        known.add(literal >> 1)
        const value = areBoth ? solver.valueOf(literal) : undefined
        if (value === true) facts.push({ literal, pair, operator: isTrue })
        else if (value === false) facts.push({ literal: negated(literal), pair, operator: isFalse })
      }
    }
    for (const term of terms.values()) for (const literal of term.kinds.values()) known.add(literal >> 1)
    const others = solver.justification([this.#formula]).filter((literal) => !known.has(literal >> 1))
    const named = others.map((literal): Fact => {
      const finite = this.#encoder.finite.get(literal)
      return finite === undefined ? { literal, isUnnamed: true } : { literal, finite }
    })
    return [...facts, ...named]
  }

  /**
   * The values of a term around the given ones with which the rest satisfies the formula. With other kinds: these too, as a
   * whole, and values of the given kinds that are not next to the given ones.
   */
  #widenedValues(term: Term, given: Values, rest: readonly Literal[], others?: readonly Kind[]): Values {
    const values = new Map<Kind, Part>()
    for (const [kind, part] of given) {
      const edges = edgesOf(term, kind)
      const implies = (interval: Interval, features: readonly Literal[]) =>
        this.#implies([...rest, term.is(kind), ...features, ...boundsOf(interval)])
      values.set(kind, this.#pointed(widenedPart(part, { edges, isNear: others === undefined }, implies), edges))
    }
    const further = others?.filter((kind) => this.#implies([...rest, term.is(kind)])) ?? []
    // A kind that excludes the rest would only make the condition longer.
    for (const kind of further)
      if (!this.#encoder.solver.areContradictory([...rest, term.is(kind)])) values.set(kind, WHOLE)
    return values
  }

  /** The same part without intervals that have no value, and with a point for those that have only one. */
  #pointed({ intervals, features }: Part, edges: readonly Edge[]): Part {
    const isEmpty = (from: Edge | undefined, to: Edge | undefined) =>
      to !== undefined &&
      this.#encoder.solver.areContradictory([...(from === undefined ? [] : [from.passed]), negated(to.passed)])
    const left = intervals.filter(({ from, to }) => !isEmpty(from, to))
    return {
      intervals: left.map(({ from, to }) => {
        const last = edges.findIndex(({ passed }) => passed === to?.passed)
        const [before, point, after] = [edges[last - 2], edges[last - 1], edges[last]]
        if (point === undefined || after === undefined || before?.passed !== from?.passed) return { from, to }
        if (after.isBehind) return isEmpty(before, point) ? { from: point, to } : { from, to }
        return isEmpty(point, after) ? { from, to: point } : { from, to }
      }),
      features,
    }
  }
}

/**
 * The same part with wider bounds and fewer features, as far as something stays true of it. Unless only near values matter, it
 * also has the values behind the next stretch on either side.
 */
function widenedPart(
  { intervals: [given], features }: Part,
  { edges, isNear }: { readonly edges: readonly Edge[]; readonly isNear: boolean },
  isTrue: (interval: Interval, features: readonly Literal[]) => boolean,
): Part {
  let kept = features
  let interval = defined(given)
  for (const feature of features) {
    const others = kept.filter((one) => one !== feature)
    if (isTrue(interval, others)) kept = others
  }
  const can = (one: Interval) => isTrue(one, kept)
  const indexOf = (edge: Edge) => edges.findIndex(({ passed }) => passed === edge.passed)
  const low = interval.from === undefined ? -1 : indexOf(interval.from)
  const first = low - furthest(low + 1, (steps) => can({ from: edges[low - steps], to: interval.to }))
  interval = { from: edges[first], to: interval.to }
  const high = interval.to === undefined ? edges.length : indexOf(interval.to)
  const last = high + furthest(edges.length - high, (steps) => can({ from: interval.from, to: edges[high + steps] }))
  interval = { from: interval.from, to: edges[last] }
  if (isNear) return { intervals: [interval], features: kept }
  const before = first > 0 ? [{ from: undefined, to: edges[first - 1] }] : []
  const after = last < edges.length - 1 ? [{ from: edges[last + 1], to: undefined }] : []
  return { intervals: [...before.filter(can), interval, ...after.filter(can)], features: kept }
}

/** The properties of a set, apart from the values of one term. */
function literalsOf({ literals, facts }: Pick<Cube, 'literals' | 'facts'>, without?: Term): readonly Literal[] {
  return [
    ...[...literals].flatMap(([term, literal]) => (term === without ? [] : [literal])),
    ...facts.map(({ literal }) => literal),
  ]
}

/** The largest number up to a limit for which a condition holds that holds for all smaller ones: most often 0 or the limit. */
function furthest(limit: number, holds: (steps: number) => boolean): number {
  if (limit === 0 || !holds(1)) return 0
  if (holds(limit)) return limit
  let least = 1
  let most = limit
  while (most - least > 1) {
    const middle = (least + most) >> 1
    if (holds(middle)) least = middle
    else most = middle
  }
  return least
}
