import {
  constantOf,
  type Expression,
  type Field,
  isBinaryOf,
  isDecimal,
  isNumber,
  type EvaluationPolicy,
  walk,
} from '@engine/expression'
import { isPlain } from '../terms/path.ts'
import { doubleAt, rankOf } from '../terms/order.ts'
import { type Building, evaluate, put } from './evaluate.ts'
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
  if (fields.length !== 1 || field === undefined || !isPlain(field.path)) return undefined
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
  readonly cuts: readonly number[]
  /** Open intervals between two doubles in which an integer may still be computed or already be too large. */
  readonly blurred: readonly (readonly [low: number, high: number])[]
}

/**
 * The doubles at which the comparison changes, found by bisection with the engine's own arithmetic. Undefined when that
 * would not be certain: the operand comes near the constant, or fails, where integers and doubles differ.
 */
export function thresholdsOf(expression: Expression, field: Field, policy: EvaluationPolicy): Thresholds | undefined {
  // Between two doubles there are decimals.
  if (expression.kind !== 'binary' || policy.numbers === 'decimal') return undefined
  const left = constantOf(expression.left)
  const constant = left ?? constantOf(expression.right)
  if (typeof constant !== 'number') return undefined
  const operand = left === undefined ? expression.left : expression.right
  const valueAt = (node: Expression, value: number): number | bigint | 'fails' | undefined => {
    const input: Building = {}
    put(input, field.path, value)
    const found = evaluate(node, policy, input)
    if ('error' in found) return found.error === 'not-finite' ? 'fails' : undefined
    return isNumber(found.value) && !isDecimal(found.value) ? found.value : undefined
  }
  const signAt = (value: number): number | undefined => {
    const found = valueAt(operand, value)
    if (found === undefined || found === 'fails') return undefined
    return found < constant ? -1 : found > constant ? 1 : 0
  }
  const [low, high] = [signAt(-MAX_SIZE), signAt(MAX_SIZE)]
  if (low === undefined || high === undefined) return undefined
  for (const end of [-MAX_SIZE, MAX_SIZE]) if (!isClear(Number(valueAt(operand, end)), constant)) return undefined
  const cuts: number[] = []
  const blurred: [number, number][] = []
  if (low !== high) {
    cuts.push(...bisect(-MAX_SIZE, MAX_SIZE, (value) => signAt(value) === low))
    cuts.push(...bisect(-MAX_SIZE, MAX_SIZE, (value) => signAt(value) !== high))
  }
  // Where a part of the computation is beyond the exact integers, it need not rise with the field.
  let isExact = true
  walk(operand, (node) => {
    for (const cut of cuts) {
      const part = valueAt(node, cut)
      if (typeof part !== 'number' || Math.abs(part) > MAX_SIZE / 2) isExact = false
    }
  })
  if (!isExact) return undefined
  for (const end of [-1, 1]) {
    const far = valueAt(operand, end * Number.MAX_VALUE)
    if (far === undefined) return undefined
    if (far !== 'fails') continue
    const [from, to] = bisect(end * MAX_SIZE, end * Number.MAX_VALUE, (value) => valueAt(operand, value) !== 'fails')
    cuts.push(from, to)
    blurred.push(from < to ? [from, to] : [to, from])
  }
  return { cuts: [...new Set(cuts.map((cut) => cut + 0))], blurred }
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
