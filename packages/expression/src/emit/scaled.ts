import type { Binary, Expression } from '../ast.ts'
import { Decimal, MAX_SCALED } from '../decimal/decimal.ts'
import type { Emission, EmitScope } from './emission.ts'
import type { OperatorOf } from '../operator-table.ts'
import { hasWildcard, isReference, type Reference } from '../path.ts'
import { emitConstant } from './literal.ts'
import { emitGuarded } from './path.ts'

/*
 * Chains of `+`, `-` and `*` in decimals, as scaled integers: a decimal x is stored as its coefficient x * 10^scale, a
 * double, whose scale is known when the code is generated. Within ±`MAX_SCALED` sums and products of coefficients are
 * exact, and coefficient / 10^scale is the unique representation of the decimal. So each operand is proved to be a
 * decimal once, when it is read, and a single division yields the number at the end of the chain.
 *
 * A coefficient is NaN if it would be larger, or if an operand has more places or another type. NaN propagates to the
 * end of the chain, and then the code of each operator computes the result.
 */

/** Number of decimal places with which a field is read: those of an amount of money. */
const READ_SCALE = 2
/** The maximum scale: amounts up to 10^5 still have a coefficient in it. */
const MAX_SCALE = 10
/** Maximum nesting of operators in a chain. */
const MAX_LEVELS = 8

const BOUND = MAX_SCALED.toExponential()

/** The scale of a variable that has a coefficient. */
type Scales = (variable: string) => number | undefined

type Chain = Binary & { readonly operator: '+' | '-' | '*' }

/** Whether the coefficient of the result can be computed from those of the operands. */
export function isChain(node: Expression): node is Chain {
  return node.kind === 'binary' && (node.operator === '+' || node.operator === '-' || node.operator === '*')
}

/** The scale in which an expression is computed; undefined if it has no coefficient. Examines `MAX_LEVELS` levels. */
export function scaleOf(node: Expression, scales: Scales, levels = MAX_LEVELS): number | undefined {
  if (node.kind === 'literal') return typeof node.value === 'number' ? placesOf(node.value) : undefined
  if (isRead(node)) return variableScale(node, scales) ?? READ_SCALE
  if (!isChain(node) || levels === 0) return undefined
  const left = scaleOf(node.left, scales, levels - 1)
  const right = left === undefined ? undefined : scaleOf(node.right, scales, levels - 1)
  if (left === undefined || right === undefined) return undefined
  const scale = node.operator === '*' ? left + right : Math.max(left, right)
  return scale <= MAX_SCALE ? scale : undefined
}

function placesOf(value: number): number | undefined {
  const { coefficient, exponent } = Decimal.partsOf(value)
  const isShort = coefficient <= MAX_SCALED && coefficient >= -MAX_SCALED
  return isShort && exponent >= -MAX_SCALE ? -exponent : undefined
}

/** Preserves the sign of 0. */
function coefficientOf(value: number, scale: number): number {
  const { coefficient, exponent } = Decimal.partsOf(value)
  return value === 0 ? value : Number(`${coefficient}e${exponent + scale}`)
}

/** References that can be read a second time if they have no coefficient. */
function isRead(node: Expression): node is Reference {
  return isReference(node) && node.kind !== 'member' && !hasWildcard(node)
}

function variableScale(node: Expression, scales: Scales): number | undefined {
  return node.kind === 'variable' && node.path.length === 0 ? scales(node.name) : undefined
}

function scalesOf({ coefficient }: EmitScope): Scales {
  return (name) => coefficient?.(name)?.scale
}

/** Whether the coefficient of an operand is available without a proof. A chain of only other operands gains nothing. */
function isComputed(node: Expression, scales: Scales): boolean {
  return isChain(node) || variableScale(node, scales) !== undefined
}

/** JavaScript for the coefficient of an expression in a scale; undefined if it has none. */
export function emitCoefficient(node: Expression, scale: number, emission: Emission): string | undefined {
  const own = scaleOf(node, scalesOf(emission.scope))
  if (own === undefined || own > scale) return undefined
  const text = emitLifted(node, scale, emission)
  return own === scale ? text : bounded(text, emission)
}

/**
 * JavaScript for the value of a chain; undefined if a coefficient gains nothing.
 *
 * @param otherwise JavaScript for the value without a coefficient
 */
export function emitChain(node: Chain, otherwise: () => string, emission: Emission): string | undefined {
  const scales = scalesOf(emission.scope)
  const scale = scaleOf(node, scales)
  if (scale === undefined || !(isComputed(node.left, scales) || isComputed(node.right, scales))) return undefined
  const coefficient = emitLifted(node, scale, emission)
  return emission.withTemporary(
    (t) => `((${t} = ${coefficient}) === ${t} ? ${scaledNumber(t, scale)} : ${otherwise()})`,
  )
}

/** As `emitChain`, for comparing two expressions, which needs no division. */
export function emitOrderOfChains(
  node: Binary & { readonly operator: OperatorOf<'order'> },
  otherwise: () => string,
  emission: Emission,
): string | undefined {
  const scales = scalesOf(emission.scope)
  const [left, right] = [scaleOf(node.left, scales), scaleOf(node.right, scales)]
  if (left === undefined || right === undefined) return undefined
  if (!(isComputed(node.left, scales) || isComputed(node.right, scales))) return undefined
  const scale = Math.max(left, right)
  return emission.withTemporary((l) =>
    emission.withTemporary((r) => {
      const operands = `${l} = ${emitLifted(node.left, scale, emission)}, ${r} = ${emitLifted(node.right, scale, emission)}`
      return `(${operands}, ${l} === ${l} && ${r} === ${r} ? ${l} ${node.operator} ${r} : ${otherwise()})`
    }),
  )
}

/** JavaScript for the number of a coefficient. */
export function scaledNumber(coefficient: string, scale: number): string {
  return scale === 0 ? coefficient : `${coefficient} / 1e${scale}`
}

/**
 * JavaScript for a coefficient in its own scale or a larger one. A coefficient lifted to a larger scale may exceed
 * `MAX_SCALED`, and then the integers that doubles represent exactly. Since one side of each sum and comparison is not
 * lifted, a sum within the bound, and every comparison, is correct nevertheless.
 */
function emitLifted(node: Expression, scale: number, emission: Emission): string {
  if (node.kind === 'literal') return emitConstant(coefficientOf(Number(node.value), scale), emission)
  if (isRead(node)) return emitRead(node, scale, emission)
  if (!isChain(node)) throw new Error('only an expression that has a scale is computed in one')
  const scales = scalesOf(emission.scope)
  const [left = 0, right = 0] = [scaleOf(node.left, scales), scaleOf(node.right, scales)]
  const isProduct = node.operator === '*'
  const larger = Math.max(left, right)
  const x = emitLifted(node.left, isProduct ? left : larger, emission)
  const y = emitLifted(node.right, isProduct ? right : larger, emission)
  return lifted(bounded(`${x} ${node.operator} ${y}`, emission), scale - (isProduct ? left + right : larger))
}

function emitRead(node: Reference, scale: number, emission: Emission): string {
  const known = node.kind === 'variable' && node.path.length === 0 ? emission.scope.coefficient?.(node.name) : undefined
  if (known !== undefined) return lifted(known.name, scale - known.scale)
  const round = emission.scope.constants.add(Math.round)
  return emission.withTemporary((x) =>
    emission.withTemporary((a) => {
      const isDecimal = `(${a} = ${round}(${x} * 1e${scale})) / 1e${scale} === ${x} && ${isBounded(a, a)}`
      return `(typeof (${x} = ${emitGuarded(node, emission)}) === 'number' && ${isDecimal} ? ${a} : NaN)`
    }),
  )
}

function lifted(coefficient: string, places: number): string {
  return places === 0 ? coefficient : `(${coefficient} * 1e${places})`
}

function bounded(coefficient: string, emission: Emission): string {
  return emission.withTemporary((a) => `(${isBounded(`(${a} = ${coefficient})`, a)} ? ${a} : NaN)`)
}

/** @param first the operand that is evaluated first and assigns `coefficient` */
function isBounded(first: string, coefficient: string): string {
  return `${first} <= ${BOUND} && ${coefficient} >= -${BOUND}`
}
