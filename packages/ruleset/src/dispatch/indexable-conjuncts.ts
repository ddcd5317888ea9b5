import {
  constantOf,
  type EvaluationPolicy,
  type Expression,
  isList,
  isOperatorOf,
  mirrored,
  operandsOf,
  type OperatorOf,
  orderOf,
  ORDERS,
  print,
  type Value,
} from '@engine/expression/core'

/** A comparison of a path with constants that cannot fail for values of the right type. */
export interface Test {
  /** Canonical text of the path. */
  readonly key: string
  readonly path: Expression
  /** `set`: the value is one of `values`. Otherwise an ordered comparison with `bound`. */
  readonly operator: 'set' | OperatorOf<'order'>
  readonly values: readonly Value[]
  readonly bound: number | string
}

/** The analysed form of a branch's condition. */
export interface Conjuncts {
  /** The leading conjuncts, all of which must be true. */
  readonly tests: readonly Test[]
  /** Whether the tests cover the whole condition. */
  readonly isComplete: boolean
}

/**
 * The leading conjuncts of a condition that an index can decide. Stops at the first that could fail or is not a
 * comparison of a path with a constant: later ones must not be evaluated before it.
 */
export function indexableConjuncts(condition: Expression, policy: EvaluationPolicy): Conjuncts {
  const conjuncts = operandsOf(condition, '&&')
  const tests: Test[] = []
  for (const conjunct of conjuncts) {
    const test = policy.mode === 'strict' ? undefined : testOf(conjunct)
    if (test === undefined) return { tests, isComplete: false }
    tests.push(test)
  }
  return { tests, isComplete: true }
}

function testOf(node: Expression): Test | undefined {
  if (node.kind !== 'binary') return undefined
  const { operator, left, right } = node
  const [path, constant, isMirrored] = isPath(left) ? [left, constantOf(right), false] : [right, constantOf(left), true]
  if (!isPath(path) || constant === undefined) return undefined
  const base = { key: print(path), path }
  if (isOperatorOf('order', operator)) {
    if (typeof constant !== 'number' && typeof constant !== 'string') return undefined
    return { ...base, operator: isMirrored ? mirrored(operator) : operator, values: [], bound: constant }
  }
  if (operator === '==' && isIdentical(constant)) return { ...base, operator: 'set', values: [constant], bound: 0 }
  if (operator === 'in' && !isMirrored && isList(constant) && constant.every(isIdentical))
    return { ...base, operator: 'set', values: constant, bound: 0 }
  return undefined
}

/** A path into the input or a variable, without wildcards. */
function isPath(node: Expression): boolean {
  return (node.kind === 'field' || node.kind === 'variable') && node.path.every(({ kind }) => kind !== 'wildcard')
}

/**
 * Constants for which a `Map` lookup is the full equality: no lists, no objects, no number that a bigint could equal.
 */
function isIdentical(value: Value): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/** Whether a test is true for a value of an applicable type. */
export function holds(test: Test, value: Value): boolean {
  const { operator, bound } = test
  if (operator === 'set') return test.values.includes(value)
  if (value === null) return false
  return ORDERS[operator](orderOf(value as number | string, bound))
}
