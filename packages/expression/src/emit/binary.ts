import type { Binary, Call, Expression } from '../ast.ts'
import { constantOf } from '../constant.ts'
import { emitConstant } from './literal.ts'
import type { Emission } from './emission.ts'
import { OPERATORS } from '../operator-table.ts'
import {
  binaryFunction,
  checkQuotient,
  compareQuotients,
  decimalByDoubles,
  isQuotient,
  type Quotient,
  type QuotientComparison,
} from '../decimal-operators.ts'
import type { Arithmetic } from '../operators.ts'
import { isList, type Value } from '../value.ts'

/**
 * JavaScript for a binary operator other than `&&` and `||`; the left operand is given as JavaScript, in which
 * undefined may stand for null. Common cases of numbers and texts are inlined; everything else, errors included, calls
 * the operator's function.
 */
export function emitBinary(node: Binary, left: string, emission: Emission): string {
  const { kind } = OPERATORS[node.operator]
  switch (kind) {
    case 'equality':
      return emitEquality(node, left, emission)
    case 'order':
      return emitOrder(node, left, emission)
    case 'membership':
      return emitMembership(node, left, emission)
    case 'arithmetic':
      return emission.scope.policy.numbers === 'decimal'
        ? emitDecimal(node, left, emission)
        : emitArithmetic(node, left, emission)
    case 'logic':
      throw new Error('logical operators are emitted with their operands')
  }
}

/** A call of the operator's function. */
function emitCall(node: Binary, left: string, right: string, emission: Emission): string {
  const { constants, policy, runtime } = emission.scope
  const operator = constants.add(binaryFunction(node.operator, policy.numbers))
  return `${operator}(${runtime}, ${constants.add(node)}, ${left}, ${right})`
}

function orNull(text: string): string {
  return `(${text} ?? null)`
}

function emitEquality(node: Binary, left: string, emission: Emission): string {
  const negative = OPERATORS[node.operator].negates !== undefined
  const constant = constantOf(node.right)
  if (isIdentical(constant)) return `(${left} ${negative ? '!==' : '==='} ${emitConstant(constant, emission)})`
  if (constant === null) return `(${left} ${negative ? '!=' : '=='} null)`
  const other = constantOf(node.left)
  if (isIdentical(other)) return `(${emission.nullish(node.right)} ${negative ? '!==' : '==='} ${left})`
  return emitCall(node, orNull(left), emission.value(node.right), emission)
}

/** Constants for which `===` is the full equality: no objects, and no numbers that a bigint could equal. */
function isIdentical(value: Value | undefined): value is string | boolean | number {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value) || isFraction(value)
}

function isFraction(value: Value | undefined): boolean {
  return typeof value === 'number' && !Number.isInteger(value)
}

function emitOrder(node: Binary, left: string, emission: Emission): string {
  const constant = constantOf(node.right)
  if (typeof constant === 'number' || typeof constant === 'string') {
    const right = emitConstant(constant, emission)
    return emission.withTemporary(
      (t) =>
        `(typeof (${t} = ${left}) === '${typeof constant}' ? ${t} ${node.operator} ${right} : ${emitCall(node, orNull(t), right, emission)})`,
    )
  }
  return emitOperands(
    node,
    left,
    emission,
    (l, r, areNumbers) =>
      `${areNumbers} ? ${l} ${node.operator} ${r} : ${emitCall(node, orNull(l), orNull(r), emission)}`,
  )
}

/** Lists up to this length are compared item by item, longer ones become a set. */
const MAX_COMPARED_LENGTH = 4

function emitMembership(node: Binary, left: string, emission: Emission): string {
  const { container, negates } = OPERATORS[node.operator]
  const negative = negates !== undefined
  const list = container === 'right' ? constantOf(node.right) : undefined
  const { constants } = emission.scope
  if (!isList(list) || !list.every((item) => item === null || isIdentical(item)))
    return emitCall(node, orNull(left), emission.value(node.right), emission)
  const distinct = [...new Set(list)]
  if (distinct.length === 0) return `(${left}, ${negative})`
  if (distinct.length > MAX_COMPARED_LENGTH) {
    return `(${negative ? '!' : ''}${constants.add(new Set(distinct))}.has(${orNull(left)}))`
  }
  return emission.withTemporary((t) => {
    const tests = distinct.map((item, index) => {
      const operator = `${negative ? '!' : '='}=${item === null ? '' : '='}`
      return `${index === 0 ? `(${t} = ${left})` : t} ${operator} ${emitConstant(item, emission)}`
    })
    return `(${tests.join(negative ? ' && ' : ' || ')})`
  })
}

function emitArithmetic(node: Binary, left: string, emission: Emission): string {
  const divides = OPERATORS[node.operator].divides === true
  return emission.withTemporary((result) =>
    emitOperands(node, left, emission, (l, r, areNumbers) => {
      const right = (text: string) => (typeof constantOf(node.right) === 'number' ? text : orNull(text))
      const isDefined = divides && !isNonZero(node.right) ? ` && ${r} !== 0` : ''
      const inRange = `(${result} = ${l} ${node.operator} ${r}) <= ${SAFE} && ${result} >= -${SAFE}`
      return `${areNumbers}${isDefined} && ${inRange} ? ${result} : ${emitCall(node, orNull(l), right(r), emission)}`
    }),
  )
}

/** Two numbers by doubles; undecided and other pairs by the operator's function. */
function emitDecimal(node: Binary, left: string, emission: Emission): string {
  const divides = OPERATORS[node.operator].divides === true
  const byDoubles = emission.scope.constants.add(decimalByDoubles(node.operator as Arithmetic))
  return emission.withTemporary((result) =>
    emitOperands(node, left, emission, (l, r, areNumbers) => {
      const right = typeof constantOf(node.right) === 'number' ? r : orNull(r)
      const isDefined = divides && !isNonZero(node.right) ? ` && ${r} !== 0` : ''
      const isDecided = `(${result} = ${byDoubles}(${l}, ${r})) === ${result}`
      return `${areNumbers}${isDefined} && ${isDecided} ? ${result} : ${emitCall(node, orNull(l), right, emission)}`
    }),
  )
}

/**
 * JavaScript for a comparison with a quotient on at least one side.
 *
 * @param first JavaScript for the left side, or for its dividend if it is a quotient
 */
export function emitQuotientComparison(node: QuotientComparison, first: string, emission: Emission): string {
  const { constants, policy, runtime } = emission.scope
  const compare = constants.add(compareQuotients)
  const left = isQuotient(node.left, policy.numbers) ? node.left : undefined
  const right = isQuotient(node.right, policy.numbers) ? node.right : undefined
  const begin = right?.left ?? node.right
  return withOperands(left, first, emission, (setLeft, l) =>
    withOperands(
      right,
      emission.value(begin),
      emission,
      (setRight, r) => `(${setLeft}, ${setRight}, ${compare}(${runtime}, ${constants.add(node)}, ${l}, ${r}))`,
    ),
  )
}

/** JavaScript for a call whose first argument is a quotient. */
export function emitOfQuotient(
  callee: string,
  node: Call,
  quotient: Quotient,
  rest: readonly string[],
  emission: Emission,
): string {
  const { constants, runtime } = emission.scope
  return withOperands(
    quotient,
    emission.value(quotient.left),
    emission,
    (set, parts) => `(${set}, ${callee}(${[runtime, constants.add(node), parts, ...rest].join(', ')}))`,
  )
}

/** Both parts of a quotient in temporaries, checked; for another operand, its value `first`, and 1. */
function withOperands(
  quotient: Quotient | undefined,
  first: string,
  emission: Emission,
  use: (set: string, parts: string) => string,
): string {
  const { constants, runtime } = emission.scope
  return emission.withTemporary((x) => {
    if (quotient === undefined) return use(`${x} = ${orNull(first)}`, `${x}, 1`)
    return emission.withTemporary((y) => {
      const check = `${constants.add(checkQuotient)}(${runtime}, ${constants.add(quotient)}, ${x}, ${y})`
      const set = `${x} = ${orNull(first)}, ${y} = ${emission.value(quotient.right)}, ${check}`
      return use(set, `${x}, ${y}`)
    })
  })
}

const SAFE = String(Number.MAX_SAFE_INTEGER)

function isNonZero(node: Expression): boolean {
  const constant = constantOf(node)
  return typeof constant === 'number' && constant !== 0
}

/** Both operands in temporaries, left one first; constants need none. */
function emitOperands(
  node: Binary,
  left: string,
  emission: Emission,
  use: (left: string, right: string, areNumbers: string) => string,
): string {
  const constant = constantOf(node.right)
  return emission.withTemporary((l) => {
    if (typeof constant === 'number') {
      const right = emitConstant(constant, emission)
      return `(${l} = ${left}, ${use(l, right, `typeof ${l} === 'number'`)})`
    }
    return emission.withTemporary((r) => {
      const right = emission.nullish(node.right)
      return `(${l} = ${left}, ${r} = ${right}, ${use(l, r, `typeof ${l} === 'number' && typeof ${r} === 'number'`)})`
    })
  })
}
