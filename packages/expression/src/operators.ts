import type { Binary, BinaryOperator, Expression, Unary } from './ast.ts'
import { failures } from './failures.ts'
import type { OperatorOf } from './operator-table.ts'
import { compare } from './decimal/arithmetic.ts'
import { isDecimal, type NumberValue } from './decimal/decimal.ts'
import type { EvaluationError, Runtime } from './runtime.ts'
import { createText } from './creation.ts'
import { equal, positionIn } from './equality.ts'
import { positionOf } from './text-search.ts'
import { isTrue } from './truth.ts'
import { isNumber, negated, normalizeInteger, typeName, type Value } from './value.ts'

/**
 * The operators, one function each. The interpreter and generated code call the same functions with the same node, so
 * values and error messages and positions are identical. docs/semantics.md defines the result for each pair of types.
 */
export type BinaryFunction = (runtime: Runtime, node: Binary, left: Value, right: Value) => Value

export type Arithmetic = OperatorOf<'arithmetic'>

function ordered(holds: (order: number) => boolean): BinaryFunction {
  return (runtime, node, left, right) => {
    const order = comparison(runtime, node, left, right)
    return order !== undefined && holds(order)
  }
}

/** A value that can be ordered: a number or a text. */
export type Ordered = NumberValue | string

/** Compares two numbers or two texts: negative, 0 or positive. A number and a text are not comparable: NaN. */
export function orderOf(left: Ordered, right: Ordered): number {
  if (isDecimal(left) || isDecimal(right))
    return typeof left === 'string' || typeof right === 'string' ? NaN : compare(left, right)
  return left < right ? -1 : left > right ? 1 : left <= right ? 0 : NaN
}

/** The comparison results that satisfy each operator. */
export const ORDERS: Readonly<Record<OperatorOf<'order'>, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/**
 * The order of two values that an operator compares; undefined with null on either side; any other pair is an error.
 * Charges the comparison.
 */
function comparison(runtime: Runtime, node: Binary, left: Value, right: Value): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return orderOf(left, right)
  if (left === null || right === null) return undefined
  if (typeof left === 'string' && typeof right === 'string') {
    runtime.budget.spend(1 + (Math.min(left.length, right.length) >> 2))
    return orderOf(left, right)
  }
  if (isNumber(left) && isNumber(right)) return orderOf(left, right)
  throw failures.operandTypes(node.span, node.operator, typeName(left), typeName(right))
}

function add(runtime: Runtime, node: Binary, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return finite(node, left + right, left, right, '+')
  if (typeof left === 'string' && typeof right === 'string') {
    createText(runtime, node, left.length + right.length)
    return left + right
  }
  if (isNumber(left) && isNumber(right)) return arithmetic(node, '+', left, right)
  throw notNumbers(node, left, right)
}

/** `left + right` and others on numbers, for functions defined by an operator. */
export function computed(
  node: Expression,
  operator: Arithmetic,
  left: NumberValue,
  right: NumberValue,
): number | bigint {
  if (typeof left !== 'number' || typeof right !== 'number') return arithmetic(node, operator, left, right)
  return finite(node, NUMBERS[operator](left, right), left, right, operator)
}

function calculate(operator: Exclude<Arithmetic, '+'>): BinaryFunction {
  const apply = NUMBERS[operator]
  return (_runtime, node, left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      if (right === 0 && (operator === '/' || operator === '%')) throw failures.divisionByZero(node.span)
      return finite(node, apply(left, right), left, right, operator)
    }
    if (isNumber(left) && isNumber(right)) return arithmetic(node, operator, left, right)
    throw notNumbers(node, left, right)
  }
}

const NUMBERS: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
}

const INTEGERS: Readonly<Record<Arithmetic, (left: bigint, right: bigint) => bigint | undefined>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => (left % right === 0n ? left / right : undefined),
  '%': (left, right) => left % right,
}

/** Integers that leave the safe range continue exactly as `bigint`. */
function finite(node: Expression, result: number, left: number, right: number, operator: Arithmetic): number | bigint {
  if (result <= Number.MAX_SAFE_INTEGER && result >= Number.MIN_SAFE_INTEGER) return result
  if (operator !== '/' && Number.isSafeInteger(left) && Number.isSafeInteger(right))
    return arithmetic(node, operator, BigInt(left), BigInt(right))
  if (!Number.isFinite(result)) throw failures.notFinite(node.span)
  return result
}

/** Both are integers, one of them large: exact. With a fraction on either side: doubles. */
function arithmetic(node: Expression, operator: Arithmetic, left: NumberValue, right: NumberValue): number | bigint {
  // oxlint-disable-next-line eqeqeq -- 0 and 0n
  if ((operator === '/' || operator === '%') && right == 0) throw failures.divisionByZero(node.span)
  if (isInteger(left) && isInteger(right)) {
    const exact = INTEGERS[operator](BigInt(left), BigInt(right))
    if (exact !== undefined) return bounded(node, exact)
  }
  const result = NUMBERS[operator](Number(left), Number(right))
  if (!Number.isFinite(result)) throw failures.notFinite(node.span)
  return result
}

/** Integers have the range of doubles, so repeated squaring cannot grow without bound. */
export function bounded(node: Expression, value: bigint): number | bigint {
  if (value > MAX_DOUBLE || value < -MAX_DOUBLE) throw failures.notFinite(node.span)
  return normalizeInteger(value)
}

const MAX_DOUBLE = BigInt(Number.MAX_VALUE)

function isInteger(value: NumberValue): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value)
}

/** The failure of an operator that needs numbers, for operands that are not both numbers. */
export function notNumbers(node: Binary, left: Value, right: Value): EvaluationError {
  if (left === null) return failures.nullOperand(node.span, node.operator, node.left)
  if (right === null) return failures.nullOperand(node.span, node.operator, node.right)
  return failures.operandTypes(node.span, node.operator, typeName(left), typeName(right))
}

/** `-x` for numbers. */
export function negate(_runtime: Runtime, node: Unary, operand: Value): Value {
  if (isNumber(operand)) return negated(operand)
  if (operand === null) throw failures.nullOperand(node.span, node.operator, node.operand)
  throw failures.operandType(node.span, node.operator, typeName(operand))
}

/** `x in y`: an element of a list by equality, a substring; false in null. */
function isIn({ budget }: Runtime, node: Binary, item: Value, container: Value): boolean {
  if (container === null) return false
  if (Array.isArray(container)) return positionIn(budget, container, item, node) >= 0
  if (typeof container === 'string') {
    if (typeof item === 'string') return positionOf(budget, container, item) >= 0
    if (item === null) return false
  }
  throw failures.operandTypes(node.span, node.operator, typeName(item), typeName(container))
}

/** `x contains y`, also as a function: a substring, or a list element by equality; false for null. */
export function containsValue({ budget }: Runtime, node: Expression, container: Value, item: Value): boolean {
  if (container === null) return false
  if (Array.isArray(container)) return positionIn(budget, container, item, node) >= 0
  if (typeof container === 'string') {
    if (typeof item === 'string') return positionOf(budget, container, item) >= 0
    if (item === null) return false
  }
  throw failures.operandTypes(node.span, 'contains', typeName(container), typeName(item))
}

/** Every binary operator except the logical ones, which do not always evaluate their right side. */
export const BINARY: Readonly<Record<Exclude<BinaryOperator, OperatorOf<'logic'>>, BinaryFunction>> = {
  '==': (runtime, node, left, right) => equal(runtime.budget, left, right, node),
  '!=': (runtime, node, left, right) => !equal(runtime.budget, left, right, node),
  '<': ordered(ORDERS['<']),
  '<=': ordered(ORDERS['<=']),
  '>': ordered(ORDERS['>']),
  '>=': ordered(ORDERS['>=']),
  in: isIn,
  'not in': (runtime, node, left, right) => !isIn(runtime, node, left, right),
  contains: containsValue,
  '+': add,
  '-': calculate('-'),
  '*': calculate('*'),
  '/': calculate('/'),
  '%': calculate('%'),
}

/** `!x`: negates the truth of a value. */
export function not({ budget }: Runtime, operand: Value): boolean {
  return !isTrue(operand, budget)
}
