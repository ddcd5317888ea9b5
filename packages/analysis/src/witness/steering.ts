import { constantOf, type EvaluationPolicy, type Expression, isNumber, type Value } from '@engine/expression'
import type { Arithmetic, Computation } from '../formula/computation.ts'
import type { Encoder } from '../formula/encoder.ts'
import type { NumberPoint } from '../terms/order.ts'
import type { Term } from '../terms/term.ts'
import { EVERYTHING, type Interval } from './interval.ts'

/** Values of the fields that computations read. */
export type Chosen = ReadonlyMap<Term, NumberPoint>

/** Values of a model. */
export interface SteeredValues {
  /** The value of a field or of a computation. */
  readonly of: (term: Term, chosen: Chosen) => NumberPoint | undefined
  /** The value of a field that is missing. */
  readonly absent: (source: Expression, policy: EvaluationPolicy) => Value | undefined
}

/** Bounds in doubles: the caller evaluates the values that are found within them. */
type Goal = Interval<number>

/** Values that are proposed for one result. */
const MAX_MOVES = 60
/** Times that all computations are moved into their bounds. */
const MAX_ROUNDS = 12

/**
 * Proposes values of fields for which a computation has a result within bounds: the bounds are carried back through the computation
 * to one field, while the others keep their values. At most `MAX_MOVES` proposals, each linear in the computation.
 */
export class Steering {
  readonly #encoder: Encoder
  readonly #values: SteeredValues

  constructor(encoder: Encoder, values: SteeredValues) {
    this.#encoder = encoder
    this.#values = values
  }

  /** Values with which as many computations agree as are found, moved one after the other. */
  agreeing(
    start: Chosen,
    computations: readonly Arithmetic[],
    agrees: (one: Arithmetic, chosen: Chosen) => boolean,
  ): Chosen {
    const countOf = (chosen: Chosen): number => computations.filter((one) => agrees(one, chosen)).length
    let best = start
    let most = countOf(start)
    let isMoved = true
    for (let round = 0; isMoved && most < computations.length && round < MAX_ROUNDS; round++) {
      isMoved = false
      for (const one of computations) {
        if (agrees(one, best) || this.#overflows(one)) continue
        for (const moved of this.moves(one.term, best)) {
          const count = agrees(one, moved) ? countOf(moved) : 0
          if (count <= most) continue
          best = moved
          most = count
          isMoved = true
          break
        }
      }
    }
    return best
  }

  #overflows({ overflows }: Arithmetic): boolean {
    return this.#encoder.solver.valueOf(overflows) === true
  }

  *moves(term: Term, chosen: Chosen): Generator<Chosen> {
    let count = 0
    for (const moved of this.#moves(term, EVERYTHING, chosen)) {
      yield moved
      if (++count >= MAX_MOVES) return
    }
  }

  *#moves(term: Term, goal: Goal, chosen: Chosen): Generator<Chosen> {
    const { low, high } = term.numbers.bounds()
    const wanted = {
      low: Math.max(goal.low, low === undefined ? -Infinity : Number(low)),
      high: Math.min(goal.high, high === undefined ? Infinity : Number(high)),
    }
    if (!(wanted.low <= wanted.high)) return
    const computed = this.#encoder.computedBy.get(term)
    if (computed !== undefined) return yield* this.#throughOperands(computed, wanted, chosen)
    if (!chosen.has(term)) return
    for (const value of proposals(term, wanted)) yield new Map(chosen).set(term, value)
  }

  *#throughOperands(computed: Arithmetic, wanted: Goal, chosen: Chosen): Generator<Chosen> {
    const { node, operands } = computed
    for (const [index, operand] of operands.entries()) {
      if (!('term' in operand)) continue
      for (const start of this.#startsFor(computed, index, wanted, chosen)) {
        const goal = operandGoal(node, index, wanted, this.#operandValue(computed, 1 - index, start))
        if (goal !== undefined) yield* this.#moves(operand.term, goal, start)
      }
    }
  }

  /** The values to start from: a zero factor, or an extremum that is too large, is moved first. */
  *#startsFor({ node, operands, ...rest }: Arithmetic, index: number, wanted: Goal, chosen: Chosen): Generator<Chosen> {
    const other = operands[1 - index]
    const value = this.#operandValue({ node, operands, ...rest }, 1 - index, chosen)
    if (other === undefined || 'constant' in other) return yield chosen
    if (node.kind === 'binary' && (node.operator === '*' || node.operator === '/') && value === 0) {
      yield* this.#moves(other.term, { low: 1, high: Infinity }, chosen)
      return yield* this.#moves(other.term, { low: -Infinity, high: -1 }, chosen)
    }
    const isMax = node.kind === 'call' && node.name === 'max' && value > wanted.high
    const isMin = node.kind === 'call' && node.name === 'min' && value < wanted.low
    if (isMax) return yield* this.#moves(other.term, { low: -Infinity, high: wanted.high }, chosen)
    if (isMin) return yield* this.#moves(other.term, { low: wanted.low, high: Infinity }, chosen)
    yield chosen
  }

  /** NaN: none, or something else than a number. */
  #operandValue({ operands, sources, policy }: Arithmetic, index: number, chosen: Chosen): number {
    const operand = operands[index]
    const source = sources[index]
    if (operand === undefined || source === undefined) return NaN
    const value =
      'constant' in operand
        ? operand.constant
        : (this.#values.of(operand.term, chosen) ?? this.#values.absent(source, policy) ?? null)
    return isNumber(value) ? Number(value) : NaN
  }
}

/** More than the error of a product with a power of ten, in units of the last place that is kept. */
const SLACK = 1e-6

/** Where an operand has to be for a result within bounds; undefined: that depends on more than the other operand. */
function operandGoal(node: Computation, index: number, { low, high }: Goal, other: number): Goal | undefined {
  if (node.kind === 'unary') return { low: -high, high: -low }
  if (node.kind === 'call') {
    switch (node.name) {
      case 'abs':
        return { low: Math.max(0, low), high }
      case 'min':
      case 'max':
        return { low, high }
      case 'round':
      case 'floor':
      case 'ceil': {
        const digits = node.args[1] === undefined ? 0 : Number(constantOf(node.args[1]))
        const scale = 10 ** digits
        // A number with these digits is rounded to itself.
        return { low: Math.ceil(low * scale - SLACK) / scale, high: Math.floor(high * scale + SLACK) / scale }
      }
      default:
        return undefined
    }
  }
  switch (node.operator) {
    case '+':
      return { low: low - other, high: high - other }
    case '-':
      return index === 0 ? { low: low + other, high: high + other } : { low: other - high, high: other - low }
    case '*':
      return ordered(low / other, high / other)
    case '/':
      if (index === 0) return ordered(low * other, high * other)
      return low <= 0 && high >= 0 ? undefined : ordered(other / low, other / high)
    default:
      return undefined
  }
}

function ordered(one: number, other: number): Goal {
  return { low: Math.min(one, other), high: Math.max(one, other) }
}

/** Values of a field within bounds: an easy one between them first, then the bounds themselves. */
function proposals(term: Term, { low, high }: Goal): readonly NumberPoint[] {
  const ends = [low, high].filter(Number.isFinite)
  const inner = term.numbers.within({ low, high, isLowOpen: true, isHighOpen: true, because: [] })
  const exact = ends.flatMap((end) => [end, Number(end.toPrecision(15))])
  return [...new Set<NumberPoint>([...(inner === undefined ? [] : [inner]), ...exact])]
}
