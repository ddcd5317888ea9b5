import {
  defined,
  type EvaluationPolicy,
  type Expression,
  isNumber,
  LENIENT,
  orderOf,
  type Value,
} from '@engine/expression'
import { type Arithmetic, heldBy, type Operand, withHoles } from '../formula/computation.ts'
import { ANY_INPUT } from '../formula/domain.ts'
import { Encoder } from '../formula/encoder.ts'
import type { Pair } from '../formula/pairs.ts'
import { type Building, evaluate, put } from '../formula/evaluate.ts'
import { type Check, type Literal, negated, Solver } from '../search/solver.ts'
import type { NumberPoint } from '../terms/order.ts'
import { EXAMPLES, type Kind, kindOf, KINDS, Term, textIn } from '../terms/term.ts'
import type { FurtherSearch } from './further-search.ts'
import { isInfinite, isLess } from './interval.ts'
import { Intervals } from './intervals.ts'
import { type Stubs, wantFailure } from './stubs.ts'
import type { Chosen } from './steering.ts'

/** An input that an execution is tried with, and the time of it. */
export interface Candidate {
  readonly input: { readonly [key: string]: Value }
  readonly now?: number
  /** The answers of external calls; undefined: none is made, or the wanted ones are members of `input`. */
  readonly stubs?: Stubs
}

/** Splits of intervals that one question may take. */
const MAX_SPLITS = 60
/** Ways to choose values within the same bounds. */
const VARIATIONS = 16
/** Those from which computations are steered into their bounds. */
const STEERED_VARIATIONS = 2
/** Assignments for the items of a list. */
const MAX_INNER_ASSIGNMENTS = 20_000

const SMALLER_FIRST: readonly Kind[] = [...KINDS].filter((kind) => kind !== 'error')

/**
 * The values behind an assignment: holds arithmetic and comparisons between fields to the bounds that the search chose,
 * and makes inputs of them.
 */
export class Model {
  readonly #encoder: Encoder
  #splits = 0
  #chosen: Chosen = new Map()
  /** What fitted last: it often fits the next question too. */
  #last: Chosen = new Map()
  readonly #results = new WeakMap<Chosen, Map<Arithmetic | Term, NumberPoint | 'fails' | undefined>>()
  readonly #absent = new Map<Expression, Value | undefined>()
  readonly #decimalResult: FurtherSearch['decimalResult'] | undefined
  readonly #steering: ReturnType<FurtherSearch['steering']> | undefined
  readonly #wishes: ReturnType<FurtherSearch['wishes']> | undefined

  constructor(encoder: Encoder, further?: FurtherSearch) {
    this.#encoder = encoder
    this.#decimalResult = further?.decimalResult
    this.#steering = further?.steering(encoder, {
      of: (term, chosen) => this.#valueOf(term, chosen),
      absent: (source, policy) => this.#instead(source, policy),
    })
    this.#wishes = further?.wishes(encoder, {
      of: (term, kind, variation) => this.#value(term, kind, variation),
      allowsText: (term, text) => this.#allowsText(term, text),
      inputs: (condition) => inputsFor(condition, encoder, further),
    })
  }

  /** Before a question. */
  begin(): void {
    this.#splits = 0
  }

  /** Whether arithmetic and comparisons between fields can be as assigned. */
  check(): Check {
    const { solver, arithmetic, pairs } = this.#encoder
    this.#chosen = new Map()
    const active = arithmetic.filter(
      ({ term, overflows }) => solver.valueOf(term.is('number')) === true || solver.valueOf(overflows) === true,
    )
    const ordered = [...pairs.values()].filter(
      ({ kind, left, right, less, equal }) =>
        solver.valueOf(left.is(kind)) === true &&
        solver.valueOf(right.is(kind)) === true &&
        (solver.valueOf(less) !== undefined || solver.valueOf(equal) !== undefined),
    )
    const compared = ordered.filter(({ kind }) => kind === 'number')
    if (active.length === 0 && ordered.length === 0) return { kind: 'consistent' }
    const conflict = this.#conflictAmong(active)
    if (conflict !== undefined) return { kind: 'conflict', clause: conflict }
    for (const pair of compared) {
      const apart = this.#pairConflict(pair)
      if (apart !== undefined) return { kind: 'conflict', clause: apart }
    }
    const cycle = cycleOf(ordered, solver)
    if (cycle !== undefined) return { kind: 'conflict', clause: cycle.map(negated) }
    const kind = openKindOf(active, solver)
    if (kind !== undefined) return { kind: 'decide', literal: kind }
    const leaves = this.#leavesOf(active, compared)
    const fits = (chosen: Chosen): boolean =>
      active.every((one) => this.#agrees(one, chosen)) && compared.every((pair) => this.#isOrdered(pair, chosen))
    if ([...leaves].every((leaf) => this.#isWithin(leaf, this.#last.get(leaf))) && fits(this.#last)) {
      this.#chosen = this.#last
      return { kind: 'consistent' }
    }
    for (let variation = 0; variation < VARIATIONS; variation++) {
      const chosen = new Map(
        [...leaves].map((leaf, index) => [leaf, this.#numberIn(leaf, variation + index * (variation >> 2))]),
      )
      this.#repair(chosen, compared)
      if (fits(chosen)) {
        this.#last = chosen
        this.#chosen = chosen
        return { kind: 'consistent' }
      }
      const steered =
        variation < STEERED_VARIATIONS
          ? this.#steering?.agreeing(chosen, active, (one, moved) => this.#agrees(one, moved))
          : undefined
      if (steered !== undefined && fits(steered)) {
        this.#last = steered
        this.#chosen = steered
        return { kind: 'consistent' }
      }
    }
    if (++this.#splits > MAX_SPLITS) return { kind: 'consistent' }
    return this.#split(leaves)
  }

  /** Inputs that agree with the assignment, as far as the analysis knows. */
  *candidates(most: number): Generator<Candidate> {
    for (let variation = 0; variation < most; variation++) yield this.#candidate(variation)
  }

  /** The bounds of a computation include those of its operands, so the outermost are enough unless they are contradictory. */
  #conflictAmong(active: readonly Arithmetic[]): readonly Literal[] | undefined {
    const inner = new Set(
      active.flatMap(({ operands }) => operands.flatMap((one) => ('term' in one ? [one.term] : []))),
    )
    const isContradictory = active.some((one) => !inner.has(one.term) && this.#conflictOf(one) !== undefined)
    if (!isContradictory) return undefined
    for (const one of active) {
      const conflict = this.#conflictOf(one)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }

  #conflictOf({ term, overflows, ...one }: Arithmetic): readonly Literal[] | undefined {
    const { solver } = this.#encoder
    const intervals = this.#intervals()
    if (solver.valueOf(overflows) === true) {
      const result = intervals.computed({ term, overflows, ...one })
      if (result === undefined || (!isInfinite(result.low) && !isInfinite(result.high)))
        return [negated(overflows), ...[...intervals.because].map(negated)]
      return undefined
    }
    return intervals.of(term) === undefined ? [...intervals.because].map(negated) : undefined
  }

  #pairConflict({ left, right, less, equal }: Pair): readonly Literal[] | undefined {
    const { solver } = this.#encoder
    const intervals = this.#intervals()
    const first = intervals.of(left)
    const second = intervals.of(right)
    const because = [...intervals.because].map(negated)
    if (first === undefined || second === undefined) return because
    const isSmaller = solver.valueOf(less)
    const isEqual = solver.valueOf(equal)
    if (isSmaller === true && !isLess(first.low, second.high) && !isInfinite(first.low))
      return [negated(less), ...because]
    if (isEqual === true && (isLess(second.high, first.low) || isLess(first.high, second.low)))
      return [negated(equal), ...because]
    if (isSmaller === false && isEqual === false && !isLess(second.low, first.high) && !isInfinite(first.high))
      return [less, equal, ...because]
    return undefined
  }

  /** The leaves of arithmetic and comparisons: fields, and values that are not modelled. */
  #leavesOf(active: readonly Arithmetic[], compared: readonly Pair[]): Set<Term> {
    const leaves = new Set<Term>()
    const open: Operand[] = [
      ...active.flatMap(({ operands }) => operands),
      ...compared.flatMap(({ left, right }) => [{ term: left }, { term: right }]),
    ]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!('term' in next)) continue
      const computed = this.#encoder.computedBy.get(next.term)
      const read = this.#wishes?.derivedFrom(next.term)
      if (computed !== undefined) open.push(...computed.operands)
      else if (read !== undefined) open.push(...read.map((term) => ({ term })))
      else if (this.#encoder.solver.valueOf(next.term.is('number')) === true) leaves.add(next.term)
    }
    return leaves
  }

  #numberIn(term: Term, variation: number): NumberPoint {
    const bounds = term.numbers.bounds()
    const { low, high, isLowOpen, isHighOpen } = bounds
    const inner = { low, high, isLowOpen: true, isHighOpen: true, because: [] }
    const middle = middleOf(term) ?? term.numbers.within(inner)
    const any = middle ?? low ?? 1
    switch (variation % 8) {
      case 0:
        return term.numbers.within(bounds) ?? any
      case 1:
        return high !== undefined && !isHighOpen ? high : any
      case 2:
        if (high === undefined) return Number.MAX_VALUE
        return term.numbers.within({ ...inner, low: any }) ?? any
      case 3:
        if (low === undefined) return -Number.MAX_VALUE
        return isLowOpen ? (term.numbers.within({ ...inner, high: middle ?? high }) ?? any) : low
      case 4:
        return high === undefined && low !== undefined ? Number(low) + 1e6 : any
      case 5:
        return low === undefined && high !== undefined ? Number(high) - 1e6 : any
      case 6:
        return this.#isWithin(term, Number.MIN_VALUE) ? Number.MIN_VALUE : any
      default:
        return this.#isWithin(term, -Number.MIN_VALUE) ? -Number.MIN_VALUE : any
    }
  }

  #intervals(computedBy: ReadonlyMap<Term, Arithmetic> = this.#encoder.computedBy): Intervals {
    const { solver, numbers } = this.#encoder
    const absent = (source: Expression, policy: EvaluationPolicy) => this.#instead(source, policy)
    return new Intervals(solver, computedBy, numbers, absent, this.#decimalResult)
  }

  /** Moves the right side of comparisons that do not hold, a few times. */
  #repair(chosen: Map<Term, NumberPoint>, compared: readonly Pair[]): void {
    const { solver } = this.#encoder
    for (let round = 0; round < 2 * compared.length + 2; round++) {
      let isDone = true
      for (const pair of compared) {
        if (this.#isOrdered(pair, chosen)) continue
        isDone = false
        const isEqual = solver.valueOf(pair.equal) === true
        const isRising = isEqual || solver.valueOf(pair.less) === true
        const small = isRising ? pair.left : pair.right
        const large = isRising ? pair.right : pair.left
        const from = chosen.get(small)
        const to = chosen.get(large)
        if (from === undefined || to === undefined) continue
        const bounds = large.numbers.bounds()
        const smallBounds = small.numbers.bounds()
        if (isEqual) {
          const value = isLess(to, from) ? from : to
          chosen.set(small, value)
          chosen.set(large, value)
        } else {
          const up = large.numbers.within({ ...bounds, low: from, isLowOpen: true, isHighOpen: bounds.isHighOpen })
          if (up !== undefined && (bounds.low === undefined || !isLess(up, bounds.low))) chosen.set(large, up)
          else {
            const down = small.numbers.within({ ...smallBounds, high: to, isHighOpen: true })
            if (down !== undefined) chosen.set(small, down)
          }
        }
      }
      if (isDone) return
    }
  }

  #isOrdered({ left, right, less, equal }: Pair, chosen: Chosen): boolean {
    const { solver } = this.#encoder
    const first = this.#valueOf(left, chosen)
    const second = this.#valueOf(right, chosen)
    if (!this.#isWithin(left, first) || !this.#isWithin(right, second)) return false
    const order = orderOf(first, second)
    const [isSmaller, isEqual] = [solver.valueOf(less), solver.valueOf(equal)]
    return (isSmaller === undefined || isSmaller === order < 0) && (isEqual === undefined || isEqual === (order === 0))
  }

  #isWithin(term: Term, value: NumberPoint | undefined): value is NumberPoint {
    if (value === undefined) return false
    const { low, isLowOpen, high, isHighOpen } = term.numbers.bounds()
    if (low !== undefined && (isLowOpen ? !isLess(low, value) : isLess(value, low))) return false
    return high === undefined || (isHighOpen ? isLess(value, high) : !isLess(high, value))
  }

  #agrees(one: Arithmetic, chosen: Chosen): boolean {
    const result = this.#compute(one, chosen)
    const { solver } = this.#encoder
    if (solver.valueOf(one.overflows) === true) return result === 'fails'
    return result !== undefined && result !== 'fails' && this.#isWithin(one.term, result)
  }

  #valueOf(term: Term, chosen: Chosen): NumberPoint | undefined {
    const computed = this.#encoder.computedBy.get(term) ?? term
    if (computed === term && this.#wishes?.derivedFrom(term) === undefined) return chosen.get(term)
    const result = this.#compute(computed, chosen)
    return result === 'fails' ? undefined : result
  }

  #compute(one: Arithmetic | Term, chosen: Chosen): NumberPoint | 'fails' | undefined {
    let results = this.#results.get(chosen)
    if (results === undefined) this.#results.set(chosen, (results = new Map()))
    if (results.has(one)) return results.get(one)
    const found = one instanceof Term ? this.#wishes?.derived(one, chosen) : this.#computed(one, chosen)
    results.set(one, found)
    return found
  }

  #computed({ node, policy, operands, sources }: Arithmetic, chosen: Chosen): NumberPoint | 'fails' | undefined {
    const values: Value[] = []
    for (const [index, operand] of operands.entries()) {
      if ('constant' in operand) values.push(operand.constant)
      else {
        const value = this.#valueOf(operand.term, chosen) ?? this.#instead(defined(sources[index]), policy)
        if (value === undefined) return undefined
        values.push(value)
      }
    }
    const found = evaluate(withHoles(node), policy, {}, heldBy(values))
    if ('error' in found) return found.error === 'not-finite' ? 'fails' : undefined
    return isNumber(found.value) ? found.value : undefined
  }

  /** The value of a missing field. */
  #instead(source: Expression, policy: EvaluationPolicy): Value | undefined {
    if (this.#absent.has(source)) return this.#absent.get(source)
    const found = evaluate(source, policy, {})
    const value = 'value' in found ? found.value : undefined
    this.#absent.set(source, value)
    return value
  }

  /** Decides on which side of its middle the leaf with the widest bounds is. */
  #split(leaves: ReadonlySet<Term>): Check {
    const { solver } = this.#encoder
    let widest: Term | undefined
    let width = -1
    for (const leaf of leaves) {
      const { low, high } = this.#intervals(new Map()).own(leaf)
      const found = Math.min(Number(high), Number.MAX_VALUE) / 2 - Math.max(Number(low), -Number.MAX_VALUE) / 2
      if (found > width && middleOf(leaf) !== undefined) {
        widest = leaf
        width = found
      }
    }
    const middle = widest && middleOf(widest)
    if (widest === undefined || middle === undefined) return { kind: 'consistent' }
    const literal = widest.numbers.atMost(middle)
    return solver.valueOf(literal) === undefined ? { kind: 'decide', literal } : { kind: 'consistent' }
  }

  #candidate(variation: number): Candidate {
    const input: Building = {}
    const { terms, opaque, solver } = this.#encoder
    const fields = [...terms.values()]
      .filter((term) => term.field !== undefined)
      .toSorted((left, right) => (left.field?.path.length ?? 0) - (right.field?.path.length ?? 0))
    const wished = this.#wishes?.of(variation)
    for (const [index, term] of fields.entries()) {
      const path = term.field?.path ?? []
      const kind = this.#kindOf(term, variation === 0 ? 0 : variation + index)
      const wish = wished?.get(term)
      if (wish === undefined && kind === 'missing') continue
      put(input, path, wish ?? this.#value(term, kind, variation))
    }
    this.#wishes?.fillLists(input)
    for (const call of this.#encoder.calls.values()) if (solver.valueOf(call.fails) === true) wantFailure(input, call)
    let now: number | undefined
    for (const term of opaque.keys()) {
      const { expression } = term
      if (expression.kind === 'call' && expression.name === 'now_millis')
        now = Number(this.#value(term, 'number', variation))
    }
    return { input, ...(now === undefined ? {} : { now }) }
  }

  #kindOf(term: Term, variation: number): Kind {
    const { solver } = this.#encoder
    const open: Kind[] = []
    for (const kind of SMALLER_FIRST) {
      const value = solver.valueOf(term.is(kind))
      if (value === true) return kind
      if (value === undefined) open.push(kind)
    }
    return open[variation % open.length] ?? 'null'
  }

  #value(term: Term, kind: Kind, variation: number): Value {
    const chosen = kind === 'number' ? this.#chosen.get(term) : undefined
    if (chosen !== undefined) return chosen
    const allowed = this.#encoder.allowed.get(term)?.filter((value) => this.#allows(term, kind, value)) ?? []
    if (allowed.length > 0) return defined(allowed[variation % allowed.length])
    switch (kind) {
      case 'number':
        return this.#ofWholeness(term, this.#numberIn(term, variation))
      case 'text':
        return this.#text(term)
      case 'list':
      case 'object':
        return this.#container(term, kind)
      case 'missing':
      case 'error':
        return null
      default:
        return EXAMPLES[kind]
    }
  }

  /** Whether a term may have a value of a kind, as far as its bounds are known. */
  #allows(term: Term, kind: Kind, value: Value): boolean {
    if (kindOf(value) !== kind) return false
    if (typeof value === 'string') return this.#allowsText(term, value)
    return !isNumber(value) || this.#isWithin(term, value)
  }

  /** A fraction near a number, if the assignment requires one and the bounds allow it. */
  #ofWholeness(term: Term, value: NumberPoint): NumberPoint {
    const whole = this.#encoder.whole.get(term)
    if (whole === undefined || this.#encoder.solver.valueOf(whole) !== false) return value
    return [0.5, -0.5].map((step) => Number(value) + step).find((one) => this.#isWithin(term, one)) ?? value
  }

  #allowsText(term: Term, text: string): boolean {
    const { solver } = this.#encoder
    const { low, high, isLowOpen, isHighOpen } = term.texts.bounds()
    if (low !== undefined && (isLowOpen ? text <= low : text < low)) return false
    if (high !== undefined && (isHighOpen ? text >= high : text > high)) return false
    return [...term.features.values()].every(
      ({ kinds, literal, holds }) => !kinds.includes('text') || solver.valueOf(literal) !== !holds(text),
    )
  }

  #text(term: Term): string {
    const { solver } = this.#encoder
    const bounds = term.texts.bounds()
    const start = term.texts.within(bounds) ?? ''
    const features = [...term.features.values()].filter((feature) => feature.kinds.includes('text'))
    const wanted = features.filter(({ literal }) => solver.valueOf(literal) === true)
    const parts = wanted.filter(({ kind }) => kind === 'part').map(({ constant }) => textIn(constant))
    const ends = wanted
      .filter(({ kind }) => kind === 'suffix')
      .map(({ constant }) => textIn(constant))
      .toSorted((left, right) => right.length - left.length)
    const end = ends[0] ?? ''
    const rest = parts.filter((part) => !end.includes(part) && !start.includes(part))
    for (const between of ['', '-', '_', ' ', '0', 'x'])
      for (const beginning of [start, bounds.low ?? '', '']) {
        const text = `${beginning}${between}${rest.join(between)}${between}${end}`
        if (this.#allowsText(term, text)) return text
      }
    return `${start}${rest.join('')}${end}`
  }

  #container(term: Term, kind: 'list' | 'object'): Value {
    const features = [...term.features.values()].filter(
      ({ literal, kinds }) => kinds.includes(kind) && this.#encoder.solver.valueOf(literal) === true,
    )
    const whole = features.find((feature) => feature.kind === 'constant')
    if (whole !== undefined) return whole.constant
    const elements = features.map(({ constant }) => constant)
    if (kind === 'object') return { ...(EXAMPLES.object as { readonly [key: string]: Value }) }
    return elements.length > 0 ? elements : ['another value']
  }
}

/** That an operand is a number, where its kind is open: computations have bounds only for operands of a known kind. */
function openKindOf(active: readonly Arithmetic[], solver: Solver): Literal | undefined {
  for (const { operands } of active)
    for (const operand of operands) {
      if (!('term' in operand)) continue
      const kinds = [...operand.term.kinds.values()]
      if (kinds.some((literal) => solver.valueOf(literal) === true)) continue
      const number = operand.term.is('number')
      const open =
        solver.valueOf(number) === undefined ? number : kinds.find((one) => solver.valueOf(one) === undefined)
      if (open !== undefined) return open
    }
  return undefined
}

/** Comparisons that cannot hold together, such as a < b, b < c and c < a: their literals. */
function cycleOf(compared: readonly Pair[], solver: Solver): readonly Literal[] | undefined {
  interface Step {
    readonly from: Term
    readonly to: Term
    readonly isStrict: boolean
    readonly because: readonly Literal[]
  }
  const steps: Step[] = []
  for (const { left, right, less, equal, kind } of compared) {
    const isSmaller = solver.valueOf(less)
    const isEqual = solver.valueOf(equal)
    const kinds = [left.is(kind), right.is(kind)]
    if (isSmaller === true) steps.push({ from: left, to: right, isStrict: true, because: [less, ...kinds] })
    else if (isEqual === true) {
      const because = [equal, ...kinds]
      steps.push(
        { from: left, to: right, isStrict: false, because },
        { from: right, to: left, isStrict: false, because },
      )
    } else if (isSmaller === false) {
      const isStrict = isEqual === false
      const because = [negated(less), ...(isStrict ? [negated(equal)] : []), ...kinds]
      steps.push({ from: right, to: left, isStrict, because })
    }
  }
  for (const strict of steps) {
    if (!strict.isStrict) continue
    const ways = new Map<Term, readonly Literal[]>([[strict.to, strict.because]])
    for (const [term, because] of ways)
      for (const step of steps)
        if (step.from === term && !ways.has(step.to)) ways.set(step.to, [...because, ...step.because])
    const closed = ways.get(strict.from)
    if (closed !== undefined) return [...new Set(closed)]
  }
  return undefined
}

/** A number that parts the bounds of a term in two; without a bound, each step goes four times as far. */
function middleOf(term: Term): NumberPoint | undefined {
  const { low, high } = term.numbers.bounds()
  if (low !== undefined && high !== undefined) {
    const middle = Number(low) / 2 + Number(high) / 2
    const isBetween = (value: number): boolean => isLess(low, value) && isLess(value, high)
    return [Math.round(middle), middle].find(isBetween)
  }
  if (low !== undefined) return isLess(0, low) ? farther(Number(low)) : isLess(low, -1) ? 0 : 16
  if (high !== undefined) return isLess(high, 0) ? farther(Number(high)) : isLess(1, high) ? 0 : -16
  return 0
}

function farther(value: number): number | undefined {
  return Number.isFinite(value * 4) ? value * 4 : undefined
}

/** Inputs for which a condition holds by itself. In strict mode they have all fields that it reads. */
function inputsFor(
  condition: Expression,
  { numbers, outcomes, solver: outer }: Encoder,
  further: FurtherSearch | undefined,
): readonly Candidate['input'][] {
  const solver = new Solver()
  const encoder = new Encoder(solver, ANY_INPUT, numbers, outcomes)
  const model = new Model(encoder, further)
  const { holds } = encoder.truth(condition, { ...LENIENT, mode: 'strict', numbers })
  const answer = solver.solve([holds], MAX_INNER_ASSIGNMENTS, () => model.check())
  const inputs = answer === 'satisfiable' ? Array.from(model.candidates(2), ({ input }) => input) : []
  outer.charge(solver.work)
  return inputs
}
