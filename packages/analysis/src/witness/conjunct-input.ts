import {
  constantOf,
  type Expression,
  isBinaryOf,
  isList,
  isNumber,
  operandsOf,
  printPath,
  type Value,
} from '@engine/expression'
import { type Building, put } from '../formula/evaluate.ts'
import { isPlain } from '../terms/path.ts'
import { DECIMALS, type NumberPoint, NUMBERS, type Order, TEXTS } from '../terms/order.ts'
import type { Candidate } from './model.ts'

type Field = Extract<Expression, { readonly kind: 'field' }>

/** The requirements of a conjunction on one field. */
interface Wish {
  readonly field: Field
  /** The only values. */
  values?: readonly Value[]
  low?: Bound
  high?: Bound
}

interface Bound {
  readonly at: NumberPoint | string
  readonly isOpen: boolean
}

/**
 * An input for which a conjunction of comparisons of fields with constants is likely true: most rows of tables are such.
 * Undefined: it has another part, or nothing fits. Linear in the condition; only an execution shows that it is right.
 */
export function inputOfConjuncts(condition: Expression, numbers: 'double' | 'decimal'): Candidate['input'] | undefined {
  return inputOfParts(operandsOf(condition, '&&'), numbers)
}

function inputOfParts(conjuncts: readonly Expression[], numbers: 'double' | 'decimal'): Building | undefined {
  const wishes = new Map<string, Wish>()
  const wishFor = (field: Field): Wish => {
    const path = printPath(field)
    const known = wishes.get(path) ?? { field }
    wishes.set(path, known)
    return known
  }
  for (const conjunct of conjuncts) if (!addWish(conjunct, wishFor)) return undefined
  const input: Building = {}
  for (const wish of wishes.values()) {
    const value = valueOf(wish, numbers === 'decimal' ? DECIMALS : NUMBERS)
    if (value === undefined || !put(input, wish.field.path, value)) return undefined
  }
  return input
}

/** Values of wrong types: a number is compared with neither, a text not with the first. */
const WRONG: readonly Value[] = [true, [], null]

/**
 * Inputs for which one comparison of a conjunction likely fails, and those before it are true: a field of each comparison has a
 * value of another type. At most `WRONG.length` for each of the first comparisons; only an execution shows that one is right.
 */
export function failingInputs(condition: Expression, numbers: 'double' | 'decimal'): readonly Candidate['input'][] {
  const conjuncts = operandsOf(condition, '&&')
  const inputs: Candidate['input'][] = []
  for (const [index, node] of conjuncts.entries()) {
    if (inputs.length > MAX_FAILING) break
    if (!isBinaryOf('order', node)) continue
    const field = [node.left, node.right].find((one) => one.kind === 'field')
    if (field?.kind !== 'field' || !isPlain(field.path)) continue
    const before = inputOfParts(conjuncts.slice(0, index), numbers)
    for (const value of before === undefined ? [] : WRONG) {
      const input: Building = { ...before }
      if (put(input, field.path, value)) inputs.push(input)
    }
  }
  return inputs
}

const MAX_FAILING = 6

/** Notes the requirement of a conjunct. False: it does not compare a field with a constant. */
function addWish(node: Expression, wishFor: (field: Field) => Wish): boolean {
  if (node.kind === 'unary' && node.operator === '!') return addTruth(node.operand, false, wishFor)
  if (node.kind === 'field') return addTruth(node, true, wishFor)
  if (node.kind !== 'binary') return false
  const isMirrored = node.left.kind !== 'field'
  const [field, other] = isMirrored ? [node.right, node.left] : [node.left, node.right]
  const constant = constantOf(other)
  if (field.kind !== 'field' || !isPlain(field.path) || constant === undefined) return false
  if (isBinaryOf('equality', node)) return node.operator === '==' && addValues(wishFor(field), [constant])
  if (isBinaryOf('membership', node))
    return node.operator === 'in' && !isMirrored && isList(constant) && addValues(wishFor(field), constant)
  if (!isBinaryOf('order', node) || (!isNumber(constant) && typeof constant !== 'string')) return false
  const isLow = node.operator.startsWith('>') !== isMirrored
  const bound = { at: constant, isOpen: !node.operator.endsWith('=') }
  const wish = wishFor(field)
  if (isLow) wish.low = wish.low === undefined || isInside(wish.low, bound, 1) ? bound : wish.low
  else wish.high = wish.high === undefined || isInside(wish.high, bound, -1) ? bound : wish.high
  return true
}

function addTruth(node: Expression, value: boolean, wishFor: (field: Field) => Wish): boolean {
  return node.kind === 'field' && isPlain(node.path) && addValues(wishFor(node), [value])
}

function addValues(wish: Wish, values: readonly Value[]): boolean {
  wish.values = wish.values?.filter((value) => values.includes(value)) ?? values
  return true
}

/** Whether a bound is beyond another on its side. */
function isInside(known: Bound, bound: Bound, direction: 1 | -1): boolean {
  return order(bound.at, known.at) * direction > 0 || (bound.at === known.at && bound.isOpen)
}

/** NaN: a number and a text have no order. */
function order(left: NumberPoint | string, right: NumberPoint | string): number {
  if ((typeof left === 'string') !== (typeof right === 'string')) return NaN
  return Number(left > right) - Number(left < right)
}

function valueOf({ values, low, high }: Wish, numbers: Order<NumberPoint>): Value | undefined {
  const isFitting = (value: Value): boolean =>
    (isNumber(value) || typeof value === 'string') && isAbove(value, low) && isBelow(value, high)
  if (values !== undefined) return low === undefined && high === undefined ? values[0] : values.find(isFitting)
  if (low !== undefined && !low.isOpen && isBelow(low.at, high)) return low.at
  if (high !== undefined && !high.isOpen && isAbove(high.at, low)) return high.at
  const [from, to] = [low?.at, high?.at]
  if (typeof from !== 'string' && typeof to !== 'string') return numbers.between(from, to)
  return isText(from) && isText(to) ? TEXTS.between(from, to) : undefined
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'

const isAbove = (value: NumberPoint | string, low: Bound | undefined): boolean =>
  low === undefined || (low.isOpen ? order(value, low.at) > 0 : order(value, low.at) >= 0)

const isBelow = (value: NumberPoint | string, high: Bound | undefined): boolean =>
  high === undefined || (high.isOpen ? order(value, high.at) < 0 : order(value, high.at) <= 0)
