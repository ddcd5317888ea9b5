import {
  type Binary,
  type Call,
  constantOf,
  type EvaluationPolicy,
  type Expression,
  isBinaryOf,
  type Unary,
  type Value,
} from '@engine/expression'
import type { Literal } from '../search/solver.ts'
import type { Term } from '../terms/term.ts'
import { hole } from './operand.ts'

/** Arithmetic or a numeric function: intervals of its operands bound its result. */
export type Computation = Binary | Unary | Call

/** A computation and its operands, for the check of intervals. */
export interface Arithmetic {
  readonly term: Term
  readonly node: Computation
  readonly policy: EvaluationPolicy
  readonly operands: readonly Operand[]
  /** The expressions of the operands. */
  readonly sources: readonly Expression[]
  /** A decimal quotient before it is rounded. */
  readonly isExact: boolean
  /** The result is too large for a number. */
  readonly overflows: Literal
}

export type Operand = { readonly constant: Value } | { readonly term: Term }

/** Functions of numbers with at most two operands that are not constant. */
const NUMERIC: ReadonlySet<string> = new Set(['abs', 'floor', 'ceil', 'round', 'min', 'max'])

/** Whether an expression computes a number of numbers. */
export function isComputation(expression: Expression): expression is Computation {
  if (isBinaryOf('arithmetic', expression)) return true
  if (expression.kind === 'unary') return expression.operator === '-'
  if (expression.kind !== 'call' || !NUMERIC.has(expression.name)) return false
  const { name, args } = expression
  if (name === 'min' || name === 'max') return args.length === 2
  return args.slice(1).every((argument) => constantOf(argument) !== undefined)
}

export function operandsOfComputation(node: Computation): readonly Expression[] {
  if (node.kind === 'binary') return [node.left, node.right]
  return node.kind === 'unary' ? [node.operand] : node.args
}

/** The placeholders of `withHoles`. */
export const HOLES = ['first', 'second', 'third'] as const

/** The same computation of variables instead of its operands. */
export function withHoles(node: Computation): Expression {
  const [first, second] = operandsOfComputation(node)
  if (node.kind === 'unary') return { ...node, operand: hole(HOLES[0], node.operand) }
  if (node.kind === 'binary')
    return { ...node, left: hole(HOLES[0], first ?? node), right: hole(HOLES[1], second ?? node) }
  return {
    ...node,
    args: node.args.map((argument, index) => (index < 2 ? hole(HOLES[index] ?? '', argument) : argument)),
  }
}

/** The variables of `withHoles`. */
export function heldBy(values: readonly Value[]): ReadonlyMap<string, Value> {
  return new Map(values.map((value, index) => [HOLES[index] ?? '', value]))
}
