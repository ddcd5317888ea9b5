import { defined, type EvaluationPolicy, type Expression, isNumber, type Numbers, type Value } from '@engine/expression'
import type { Arithmetic, Computation, Operand } from '../formula/computation.ts'
import type { Literal, Solver } from '../search/solver.ts'
import { doubleAt, nextDecimal, nextDouble, type NumberPoint, previousDecimal, rankOf } from '../terms/order.ts'
import type { Term } from '../terms/term.ts'
import { EVERYTHING, type Interval, isLess } from './interval.ts'

type Doubles = Interval<number>

/** The bounds of the result of a decimal computation from those of its operands. */
export type DecimalResult = (node: Computation, operands: readonly Interval[]) => Interval

/** Reads the bounds of numbers from an assignment, with the literals that imply them. */
export class Intervals {
  readonly because = new Set<Literal>()
  readonly #solver: Solver
  readonly #computedBy: ReadonlyMap<Term, Arithmetic>
  readonly #isDecimal: boolean
  readonly #absent: (source: Expression, policy: EvaluationPolicy) => Value | undefined
  readonly #decimalResult: DecimalResult | undefined

  /**
   * @param absent the value of a field that is missing
   * @param decimalResult the bounds of decimal computations; undefined: they have none
   */
  constructor(
    solver: Solver,
    computedBy: ReadonlyMap<Term, Arithmetic>,
    numbers: Numbers,
    absent: (source: Expression, policy: EvaluationPolicy) => Value | undefined,
    decimalResult: DecimalResult | undefined,
  ) {
    this.#decimalResult = decimalResult
    this.#absent = absent
    this.#solver = solver
    this.#isDecimal = numbers === 'decimal'
    this.#computedBy = computedBy
  }

  /** The bounds from the term's own cuts. */
  own(term: Term): Interval {
    if (this.#solver.valueOf(term.is('number')) !== true) return EVERYTHING
    const { low, isLowOpen, high, isHighOpen, because } = term.numbers.bounds()
    this.because.add(term.is('number'))
    for (const literal of because) this.because.add(literal)
    if (this.#isDecimal) {
      const hasAllDigits = this.#computedBy.get(term)?.isExact === true
      return {
        low: low === undefined ? -Infinity : isLowOpen && !hasAllDigits ? nextDecimal(low) : low,
        high: high === undefined ? Infinity : isHighOpen && !hasAllDigits ? previousDecimal(high) : high,
      }
    }
    const from = low === undefined ? -Infinity : below(low)
    const to = high === undefined ? Infinity : above(high)
    const isExact = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < 2 ** 53
    return {
      low: isLowOpen && isExact(low) ? nextDouble(low) : from,
      high: isHighOpen && isExact(high) ? doubleAt(rankOf(high) - 1n) : to,
    }
  }

  /** The bounds from the term's own cuts and its operands; undefined when they are contradictory. */
  of(term: Term): Interval | undefined {
    const own = this.own(term)
    const computed = this.#computedBy.get(term)
    if (computed === undefined || this.#solver.valueOf(term.is('number')) !== true) return own
    const result = this.computed(computed)
    if (result === undefined) return undefined
    const { low: least, isLowOpen, high: most, isHighOpen } = term.numbers.bounds()
    if (isLowOpen && least !== undefined && !isLess(least, result.high)) return undefined
    if (isHighOpen && most !== undefined && !isLess(result.low, most)) return undefined
    const low = isLess(own.low, result.low) ? result.low : own.low
    const high = isLess(result.high, own.high) ? result.high : own.high
    return isLess(high, low) ? undefined : { low, high }
  }

  /** Bounds of the result of a computation from its operands. */
  computed({ node, operands, sources, policy }: Arithmetic): Interval | undefined {
    const intervals: Interval[] = []
    for (const [index, operand] of operands.entries()) {
      const interval = this.#operand(operand, defined(sources[index]), policy)
      if (interval === undefined) return undefined
      intervals.push(interval)
    }
    return this.#isDecimal
      ? (this.#decimalResult?.(node, intervals) ?? EVERYTHING)
      : widened(resultOf(node, intervals.map(asDoubles)))
  }

  #operand(operand: Operand, source: Expression, policy: EvaluationPolicy): Interval | undefined {
    if ('term' in operand) {
      const missing = operand.term.is('missing')
      if (this.#solver.valueOf(missing) !== true) return this.of(operand.term)
      const value = this.#absent(source, policy)
      if (value === undefined || !isNumber(value)) return EVERYTHING
      this.because.add(missing)
      return { low: value, high: value }
    }
    const { constant } = operand
    return isNumber(constant) ? { low: constant, high: constant } : EVERYTHING
  }
}

function asDoubles({ low, high }: Interval): Doubles {
  return { low: below(low), high: above(high) }
}

function below(value: NumberPoint): number {
  const near = Number(value)
  return isLess(value, near) ? doubleAt(rankOf(near) - 1n) : near
}

function above(value: NumberPoint): number {
  const near = Number(value)
  return isLess(near, value) ? nextDouble(near) : near
}

function resultOf(node: Computation, [first = EVERYTHING, second = EVERYTHING]: readonly Doubles[]): Doubles {
  if (node.kind === 'binary') return apply(node.operator, first, second)
  if (node.kind === 'unary') return { low: -first.high, high: -first.low }
  switch (node.name) {
    case 'abs':
      return { low: Math.max(0, first.low, -first.high), high: Math.max(-first.low, first.high) }
    case 'floor':
      return { low: Math.floor(first.low), high: Math.floor(first.high) }
    case 'ceil':
      return { low: Math.ceil(first.low), high: Math.ceil(first.high) }
    case 'min':
      return { low: Math.min(first.low, second.low), high: Math.min(first.high, second.high) }
    case 'max':
      return { low: Math.max(first.low, second.low), high: Math.max(first.high, second.high) }
    case 'round': {
      // Every mode moves a number by less than one unit of the last place that is kept.
      const unit = node.args.length < 2 ? 1 : 10 ** -second.low
      return { low: first.low - unit, high: first.high + unit }
    }
    default:
      return EVERYTHING
  }
}

function apply(operator: string, left: Doubles, right: Doubles): Doubles {
  switch (operator) {
    case '+':
      return { low: left.low + right.low, high: left.high + right.high }
    case '-':
      return { low: left.low - right.high, high: left.high - right.low }
    case '*':
      return hull(corners(left, right, (one, other) => (one === 0 || other === 0 ? 0 : one * other)))
    case '/':
      if (right.low <= 0 && right.high >= 0) return EVERYTHING
      return hull(corners(left, right, (one, other) => one / other))
    case '%': {
      const most = Math.max(Math.abs(right.low), Math.abs(right.high))
      return { low: Math.min(0, Math.max(left.low, -most)), high: Math.max(0, Math.min(left.high, most)) }
    }
    default:
      return EVERYTHING
  }
}

function corners(left: Doubles, right: Doubles, operation: (one: number, other: number) => number): readonly number[] {
  return [left.low, left.high].flatMap((one) => [right.low, right.high].map((other) => operation(one, other)))
}

function hull(values: readonly number[]): Doubles {
  return { low: Math.min(...values), high: Math.max(...values) }
}

/** Beyond the exact integers, integers are computed exactly and doubles are rounded: the interval holds both. */
function widened({ low, high }: Doubles): Doubles {
  if (Number.isNaN(low) || Number.isNaN(high)) return EVERYTHING
  const isExact = (value: number): boolean => Math.abs(value) < 2 ** 53 || !Number.isFinite(value)
  return {
    low: isExact(low) ? low : low - Math.abs(low) * 2 ** -50,
    high: isExact(high) ? high : high + Math.abs(high) * 2 ** -50,
  }
}
