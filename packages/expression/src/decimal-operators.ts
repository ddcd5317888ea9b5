import type { Binary, BinaryOperator, Expression } from './ast.ts'
import * as arithmetic from './decimal/arithmetic.ts'
import { Decimal, DecimalError, digitsOf, type NumberValue } from './decimal/decimal.ts'
import * as doubles from './decimal/doubles.ts'
import { failures } from './failures.ts'
import { isBinaryOf, type OperatorOf } from './operator-table.ts'
import { type Arithmetic, BINARY, type BinaryFunction, notNumbers, ORDERS } from './operators.ts'
import type { Numbers, Runtime } from './runtime.ts'
import { isNumber, typeName, type Value } from './value.ts'

/** Units of an operation that doubles cannot decide: some 200 ns. */
const DIGITS_COST = 8

type Exact = (left: NumberValue, right: NumberValue) => NumberValue

/** The computation by doubles, NaN if they cannot decide it, and the exact one. */
const ARITHMETIC: Readonly<
  Record<Arithmetic, { readonly byDoubles: (left: number, right: number) => number; readonly exact: Exact }>
> = {
  '+': { byDoubles: doubles.add, exact: arithmetic.add },
  '-': { byDoubles: doubles.subtract, exact: arithmetic.subtract },
  '*': { byDoubles: doubles.multiply, exact: arithmetic.multiply },
  '/': { byDoubles: doubles.divide, exact: arithmetic.divide },
  '%': { byDoubles: doubles.remainder, exact: arithmetic.remainder },
}

/**
 * The function that generated code calls for two numbers; NaN means that the operator's function must compute the
 * result. The right operand of `/` and `%` must not be 0.
 */
export function decimalByDoubles(operator: Arithmetic): (left: number, right: number) => number {
  return ARITHMETIC[operator].byDoubles
}

/** `left + right` and the like in decimals, for functions that are defined by an operator. Charges slow operations. */
export function computedDecimal(
  { budget }: Runtime,
  node: Expression,
  operator: Arithmetic,
  left: NumberValue,
  right: NumberValue,
): NumberValue {
  const { byDoubles, exact } = ARITHMETIC[operator]
  if (typeof left === 'number' && typeof right === 'number') {
    if (right === 0 && (operator === '/' || operator === '%')) throw failures.divisionByZero(node.span)
    const decided = byDoubles(left, right)
    if (decided === decided) return decided
  }
  return inPlace(node, () => {
    budget.spend(DIGITS_COST + ((spanOf(left) + spanOf(right)) >> 2))
    return exact(left, right)
  })
}

/** Upper bound of the digits needed to align a number with another one. */
function spanOf(value: NumberValue): number {
  if (typeof value === 'number') return value === 0 ? 0 : Math.abs(Math.log10(Math.abs(value)))
  const { coefficient, exponent } = Decimal.partsOf(value)
  return digitsOf(coefficient) - exponent
}

/** The result of a computation; a failure gets the position of an expression. */
function inPlace<Result>(node: Expression, compute: () => Result): Result {
  try {
    return compute()
  } catch (error) {
    if (!(error instanceof DecimalError)) throw error
    throw error.reason === 'not-finite' ? failures.notFinite(node.span) : failures.divisionByZero(node.span)
  }
}

function calculate(operator: Arithmetic): BinaryFunction {
  return (runtime, node, left, right) => {
    if (isNumber(left) && isNumber(right)) return computedDecimal(runtime, node, operator, left, right)
    if (operator === '+' && typeof left === 'string' && typeof right === 'string')
      return BINARY['+'](runtime, node, left, right)
    throw notNumbers(node, left, right)
  }
}

const DECIMAL_BINARY: typeof BINARY = {
  ...BINARY,
  '+': calculate('+'),
  '-': calculate('-'),
  '*': calculate('*'),
  '/': calculate('/'),
  '%': calculate('%'),
}

const FUNCTIONS = {
  double: new Map(Object.entries(BINARY)),
  decimal: new Map(Object.entries(DECIMAL_BINARY)),
} as const satisfies Readonly<Record<Numbers, ReadonlyMap<string, BinaryFunction>>>

/** The function of an operator; undefined for logical operators. */
export function binaryFunction(operator: BinaryOperator, numbers: Numbers): BinaryFunction | undefined {
  return FUNCTIONS[numbers].get(operator)
}

/*
 * Quotients that a comparison or `round` uses directly are not rounded in between: dividend and divisor decide the
 * result.
 */

/** A division. */
export type Quotient = Binary & { readonly operator: '/' }

/** A comparison with a quotient on at least one side. */
export type QuotientComparison = Binary & { readonly operator: OperatorOf<'order'> | OperatorOf<'equality'> }

/** Whether the value of an expression is a quotient in decimals. */
export function isQuotient(node: Expression | undefined, numbers: Numbers): node is Quotient {
  return numbers === 'decimal' && node?.kind === 'binary' && node.operator === '/'
}

export function isQuotientComparison(node: Expression, numbers: Numbers): node is QuotientComparison {
  if (!isBinaryOf('order', node) && !isBinaryOf('equality', node)) return false
  return isQuotient(node.left, numbers) || isQuotient(node.right, numbers)
}

/** Throws as the division would if it is impossible. Charges it. */
export function checkQuotient({ budget }: Runtime, node: Quotient, dividend: Value, divisor: Value): void {
  if (!isNumber(dividend) || !isNumber(divisor)) throw notNumbers(node, dividend, divisor)
  if (divisor === 0) throw failures.divisionByZero(node.span)
  budget.spend(1)
}

/** Compare `left` / `leftDivisor` with `right` / `rightDivisor`; a side other than a quotient has the divisor 1. */
export function compareQuotients(
  { budget }: Runtime,
  node: QuotientComparison,
  left: Value,
  leftDivisor: Value,
  right: Value,
  rightDivisor: Value,
): boolean {
  const isOrder = isBinaryOf('order', node)
  if (!isNumber(left) || !isNumber(right)) {
    if (!isOrder) return node.operator === '!='
    if (left === null || right === null) return false
    throw failures.operandTypes(node.span, node.operator, typeName(left), typeName(right))
  }
  const order = orderOfQuotients(budget, node, left, leftDivisor as NumberValue, right, rightDivisor as NumberValue)
  if (isOrder) return ORDERS[node.operator](order)
  return (order === 0) === (node.operator === '==')
}

function orderOfQuotients(
  budget: Runtime['budget'],
  node: Expression,
  x: NumberValue,
  y: NumberValue,
  z: NumberValue,
  w: NumberValue,
): number {
  if (typeof x === 'number' && typeof y === 'number' && typeof z === 'number' && typeof w === 'number') {
    const decided = doubles.compareQuotients(x, y, z, w)
    if (decided === decided) return decided
  }
  return inPlace(node, () => {
    budget.spend(2 * DIGITS_COST + ((spanOf(x) + spanOf(y) + spanOf(z) + spanOf(w)) >> 1))
    return arithmetic.compareQuotients(x, y, z, w)
  })
}
