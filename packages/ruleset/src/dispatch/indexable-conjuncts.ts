import {
  constantOf,
  type Expression,
  isOperatorOf,
  type EvaluationPolicy,
  mirrored,
  type OperatorOf,
  operandsOf,
  print,
  type Value,
} from '@engine/expression'

/** A comparison of a path with constants that is certain not to fail, given the type of the path's value. */
export interface Test {
  /** Canonical text of the path. */
  readonly key: string
  readonly path: Expression
  /** `set`: the value is one of `values`. Otherwise an ordered comparison with `bound`. */
  readonly operator: 'set' | OperatorOf<'order'>
  readonly values: readonly Value[]
  readonly bound: number | string
}

/** What dispatch knows of a branch's condition. */
export interface Conjuncts {
  /** The leading conjuncts, all of which must be true. */
  readonly tests: readonly Test[]
  /** Whether the tests are the whole condition. */
  readonly isComplete: boolean
}

/**
 * The conjuncts with which a condition begins that an index can decide. It ends at the first that could fail or that
 * compares no path with a constant: what stands behind that one may not be looked at before it.
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
  if (operator === 'in' && !isMirrored && Array.isArray(constant) && constant.every(isIdentical))
    return { ...base, operator: 'set', values: constant as readonly Value[], bound: 0 }
  return undefined
}

/** A path into the input or a variable that creates nothing. */
function isPath(node: Expression): boolean {
  return (node.kind === 'field' || node.kind === 'variable') && node.path.every(({ kind }) => kind !== 'wildcard')
}

/** Constants that are equal to nothing but what a `Map` finds: no list, no object, no number that a bigint could equal. */
function isIdentical(value: Value): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !Number.isInteger(value)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/** Whether a test is true for a value of a type that it can be asked about. */
export function holds(test: Test, value: Value): boolean {
  const { operator, bound } = test
  if (operator === 'set') return test.values.includes(value)
  if (value === null) return false
  const ordered = value as number
  const limit = bound as number
  switch (operator) {
    case '<':
      return ordered < limit
    case '<=':
      return ordered <= limit
    case '>':
      return ordered > limit
    case '>=':
      return ordered >= limit
  }
}
