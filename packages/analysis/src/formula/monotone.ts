import {
  constantOf,
  type Expression,
  type Field,
  isBinaryOf,
  defined,
  isNumber,
  negateNumber,
  numberOfText,
  type EvaluationPolicy,
  walk,
} from '@engine/expression'
import { isPlain } from '../terms/path.ts'
import { doubleAt, middleOfDecimals, type NumberPoint, rankOf } from '../terms/order.ts'
import { type Building, evaluate, type Evaluated, put } from './evaluate.ts'
import type { Test } from './shape.ts'

/** Integers are exact up to here; beyond, a number can be a double or an integer of any size. */
const MAX_SIZE = Number.MAX_SAFE_INTEGER

/** The only field of a comparison with a number whose operand is monotone in the field; undefined otherwise. */
export function monotoneOf(expression: Expression, test: Test): Field | undefined {
  if (!isBinaryOf('order', expression) && !isBinaryOf('equality', expression)) return undefined
  if (test.numbers.length !== 1 || test.operand.kind === 'field') return undefined
  const fields: Field[] = []
  walk(test.operand, (node) => {
    if (node.kind === 'field') fields.push(node)
  })
  const [field] = fields
  // An operand that is monotone has one field.
  if (field === undefined || !isPlain(field.path)) return undefined
  return isMonotone(test.operand) ? field : undefined
}

const ROUNDING: ReadonlySet<string> = new Set(['round', 'floor', 'ceil', 'min', 'max'])

function isMonotone(node: Expression): boolean {
  if (node.kind === 'field') return true
  if (node.kind === 'unary') return node.operator === '-' && isMonotone(node.operand)
  if (node.kind === 'call') {
    const open = node.args.filter((argument) => constantOf(argument) === undefined)
    const [only] = open
    if (!ROUNDING.has(node.name) || open.length !== 1 || only === undefined || !node.args.slice(0, 2).every(isNumeric))
      return false
    return (node.name !== 'round' || node.args[0] === only) && isMonotone(only)
  }
  if (!isBinaryOf('arithmetic', node) || node.operator === '%') return false
  const left = constantOf(node.left)
  const right = constantOf(node.right)
  if (typeof right === 'number') return (node.operator !== '/' || right !== 0) && isMonotone(node.left)
  return typeof left === 'number' && node.operator !== '/' && isMonotone(node.right)
}

function isNumeric(argument: Expression): boolean {
  const constant = constantOf(argument)
  return constant === undefined || typeof constant === 'number'
}

/** Where a comparison changes. */
export interface Thresholds {
  /** Between two neighbours of these the comparison has one result, except in `blurred`. */
  readonly cuts: readonly NumberPoint[]
  /** Open intervals between two doubles in which an integer may still be computed or already be too large. */
  readonly blurred: readonly (readonly [low: number, high: number])[]
}

/**
 * The numbers at which the comparison changes, found by bisection with the engine's own arithmetic. Undefined when that
 * would not be certain: the operand comes near the constant, or fails, where integers and fractions differ. Some 300
 * evaluations.
 */
export function thresholdsOf(expression: Expression, field: Field, policy: EvaluationPolicy): Thresholds | undefined {
  if (expression.kind !== 'binary') return undefined
  const left = constantOf(expression.left)
  const constant = left ?? constantOf(expression.right)
  if (typeof constant !== 'number') return undefined
  const operand = left === undefined ? expression.left : expression.right
  const found = (node: Expression, value: NumberPoint): Evaluated => {
    const input: Building = {}
    put(input, field.path, value)
    return evaluate(node, policy, input)
  }
  const valueAt = (node: Expression, value: NumberPoint): NumberPoint | 'fails' | undefined => {
    const result = found(node, value)
    if ('error' in result) return result.error === 'not-finite' ? 'fails' : undefined
    return isNumber(result.value) ? result.value : undefined
  }
  // The comparison itself is evaluated: it reads a decimal quotient before that is rounded.
  const smaller: Expression = { ...expression, operator: '<' }
  const equal: Expression = { ...expression, operator: '==' }
  const signAt = (value: NumberPoint): number | undefined => {
    const [isSmaller, isEqual] = [found(smaller, value), found(equal, value)]
    if ('error' in isSmaller || 'error' in isEqual) return undefined
    return isSmaller.value === true ? -1 : isEqual.value === true ? 0 : 1
  }
  const [low, high] = [signAt(-MAX_SIZE), signAt(MAX_SIZE)]
  if (low === undefined || high === undefined) return undefined
  for (const end of [-MAX_SIZE, MAX_SIZE]) if (!isClear(Number(valueAt(operand, end)), constant)) return undefined
  const cuts: NumberPoint[] = []
  const blurred: [number, number][] = []
  const changes = [(value: NumberPoint) => signAt(value) === low, (value: NumberPoint) => signAt(value) !== high]
  for (const isBefore of low === high ? [] : changes) {
    const neighbours = bisect(-MAX_SIZE, MAX_SIZE, isBefore)
    if (policy.numbers === 'double') cuts.push(...neighbours)
    else {
      const cut = lastDecimal(neighbours, isBefore)
      if (cut === undefined) return undefined
      cuts.push(cut)
    }
  }
  // Where a part of the computation is beyond the exact integers, it need not rise with the field.
  let isExact = true
  walk(operand, (node) => {
    for (const cut of cuts) {
      const part = valueAt(node, cut)
      if (part === undefined || part === 'fails' || typeof part === 'bigint' || Math.abs(Number(part)) > MAX_SIZE / 2)
        isExact = false
    }
  })
  if (!isExact) return undefined
  for (const end of [-1, 1]) {
    const failsAt = (value: NumberPoint): boolean => {
      const result = found(expression, value)
      return 'error' in result && result.error === 'not-finite'
    }
    if (valueAt(operand, end * Number.MAX_VALUE) === undefined) return undefined
    if (!failsAt(end * Number.MAX_VALUE)) continue
    const [from, to] = bisect(end * MAX_SIZE, end * Number.MAX_VALUE, (value) => !failsAt(value))
    if (policy.numbers === 'decimal') {
      cuts.push(lastInteger(BigInt(from), BigInt(to), (value) => !failsAt(value)))
      continue
    }
    cuts.push(from, to)
    blurred.push(from < to ? [from, to] : [to, from])
  }
  return { cuts: [...new Set(cuts.map((cut) => (typeof cut === 'number' ? cut + 0 : cut)))], blurred }
}

/** The least decimal above 0. */
const LEAST = numberOfText('1e-6176') ?? 0
/** Halvings between two doubles until no decimal is between: some 57, more near 0. */
const MAX_HALVINGS = 300

/**
 * Where a condition that holds for the first of two neighbouring doubles and not for the second ends: it holds up to
 * this decimal at most, and beyond it not. Undefined: too close to 0 to be found.
 */
function lastDecimal(
  [first, second]: readonly [number, number],
  isBefore: (value: NumberPoint) => boolean,
): NumberPoint | undefined {
  if (first === 0) return isBefore(LEAST) ? undefined : 0
  if (second === 0) return isBefore(negateNumber(LEAST)) ? 0 : undefined
  let [from, to]: NumberPoint[] = [first, second]
  for (let count = 0; count < MAX_HALVINGS; count++) {
    const middle = middleOfDecimals(defined(from), defined(to))
    if (middle === undefined) return from
    if (isBefore(middle)) from = middle
    else to = middle
  }
  return undefined
}

/** The same for integers, far from 0 the only decimals of an input. Some 1000 evaluations next to the largest number. */
function lastInteger(first: bigint, second: bigint, isBefore: (value: bigint) => boolean): bigint {
  let [from, to] = [first, second]
  while (to - from > 1n || from - to > 1n) {
    const middle = (from + to) / 2n
    if (isBefore(middle)) from = middle
    else to = middle
  }
  return from
}

/** Neighbouring doubles of which the first satisfies a condition, as the start does, and the second does not. */
function bisect(start: number, end: number, isBefore: (value: number) => boolean): readonly [number, number] {
  let from = rankOf(start)
  let to = rankOf(end)
  while (to - from > 1n || from - to > 1n) {
    const middle = (from + to) / 2n
    if (isBefore(doubleAt(middle))) from = middle
    else to = middle
  }
  return [doubleAt(from), doubleAt(to)]
}

/** Whether a value is far enough from the constant that no rounding error beyond it matters. */
function isClear(value: number, constant: number): boolean {
  return Math.abs(value - constant) > 2 ** -20 * (Math.abs(value) + Math.abs(constant))
}
