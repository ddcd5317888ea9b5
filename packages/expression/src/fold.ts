import type { Binary, Call, Conditional, Expression } from './ast.ts'
import { resolveCall } from './calls.ts'
import { Budget, BudgetError } from './budget.ts'
import { constantOf } from './constant.ts'
import { freeze } from './constants.ts'
import { isQuotient } from './decimal-operators.ts'
import { interpret } from './interpreter.ts'
import { isBinaryOf, OPERATORS } from './operator-table.ts'
import { hasWildcard, isReference } from './path.ts'
import { EvaluationError, type EvaluationPolicy } from './runtime.ts'
import { isTrue } from './truth.ts'
import type { Value } from './value.ts'
import { children, rewrite } from './visitor.ts'

/** Folding does not build large values ahead of time: they would stay in memory with the ruleset. Bytes. */
const MAX_FOLDED_SIZE = 20_000
/** Budget of folding: the remaining parts are computed when they are reached. */
const MAX_FOLDED = { thousands: 200, bytes: 64 * MAX_FOLDED_SIZE }

/** One budget for folding all expressions of a ruleset. */
export function foldingBudget(): Budget {
  return Budget.ofThousands(MAX_FOLDED.thousands, MAX_FOLDED.bytes)
}

/**
 * The same expression with its constant parts evaluated. An operand that could fail is never dropped, and a constant
 * part that fails stays unchanged, so the error occurs when (and only when) that part is reached.
 */
export function fold(expression: Expression, policy: EvaluationPolicy, budget: Budget = foldingBudget()): Expression {
  return rewrite(expression, (node) => foldNode(node, policy, budget))
}

/** Fold only to literals: replacing the whole by an operand would change the position and the name in an error. */
function foldNode(node: Expression, policy: EvaluationPolicy, budget: Budget): Expression {
  const value =
    isBinaryOf('logic', node) || node.kind === 'conditional' ? decided(node) : computed(node, policy, budget)
  return value === undefined ? node : { kind: 'literal', value: freeze(value), span: node.span }
}

/** `false && x` is false for every x: x is never evaluated. */
function decided(node: Binary | Conditional): Value | undefined {
  if (node.kind === 'conditional') {
    const condition = constantOf(node.condition)
    return condition === undefined ? undefined : constantOf(isTrue(condition) ? node.consequent : node.alternate)
  }
  const left = constantOf(node.left)
  if (left === undefined) return undefined
  const { decidedBy } = OPERATORS[node.operator]
  if (isTrue(left) === decidedBy) return decidedBy
  const right = constantOf(node.right)
  return right === undefined ? undefined : isTrue(right)
}

function computed(node: Expression, policy: EvaluationPolicy, budget: Budget): Value | undefined {
  // Comparisons and rounding of a quotient need its dividend and divisor.
  if (!isComputed(node, policy) || isQuotient(node, policy.numbers)) return undefined
  if (!children(node).every((child) => constantOf(child) !== undefined)) return undefined
  return compute(node, policy, budget)
}

/** Lists and objects of constants are constants already. */
function isComputed(node: Expression, { numbers }: EvaluationPolicy): boolean {
  if (node.kind === 'unary' || node.kind === 'binary') return true
  if (node.kind !== 'call') return false
  const definition = resolveCall(node, numbers)
  return !(definition instanceof EvaluationError) && definition.volatile !== true
}

function compute(node: Expression, policy: EvaluationPolicy, budget: Budget): Value | undefined {
  const runtime = { now: 0, budget }
  const { created } = budget
  try {
    const value = interpret(node, { input: null, variables: { get: () => undefined }, policy, runtime })
    return budget.created - created <= MAX_FOLDED_SIZE ? value : undefined
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
    throw error
  }
}

/**
 * Whether evaluating an expression could fail for some input; false is certain, true is not. Dispatch may only skip a
 * condition that cannot fail (docs/decisions/0003).
 */
export function canFail(expression: Expression, policy: EvaluationPolicy): boolean {
  const pending = [expression]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (nodeCanFail(node, policy)) return true
    for (const child of children(node)) if (!isGuarded(node, child, policy)) pending.push(child)
  }
  return false
}

/** A path argument of a guarded function may be missing in every mode. */
function isGuarded(node: Expression, child: Expression, { numbers }: EvaluationPolicy): boolean {
  if (node.kind !== 'call' || !isReference(child) || hasWildcard(child) || child.kind === 'member') return false
  const definition = resolveCall(node, numbers)
  return !(definition instanceof EvaluationError) && definition.guarded === true
}

function nodeCanFail(node: Expression, policy: EvaluationPolicy): boolean {
  switch (node.kind) {
    case 'literal':
    case 'conditional':
      return false
    case 'field':
    case 'variable':
    case 'local':
    case 'member':
      // A wildcard creates a list, and list sizes are limited.
      return policy.mode === 'strict' || hasWildcard(node)
    case 'unary':
      return node.operator === '-'
    case 'binary':
      return binaryCanFail(node)
    case 'array':
    case 'object':
      return constantOf(node) === undefined
    case 'call':
      return callCanFail(node, policy)
    case 'lambda':
      return true
  }
}

function binaryCanFail(node: Binary): boolean {
  const { kind, container } = OPERATORS[node.operator]
  switch (kind) {
    case 'logic':
      return false
    case 'equality':
      // Equality fails only for two deeply nested values.
      return !isScalarConstant(node.left) && !isScalarConstant(node.right)
    case 'membership': {
      const list = constantOf(container === 'right' ? node.right : node.left)
      return !Array.isArray(list) || list.some((item) => typeof item === 'object' && item !== null)
    }
    case 'order':
    case 'arithmetic':
      return true
  }
}

function isScalarConstant(node: Expression): boolean {
  const value = constantOf(node)
  return value !== undefined && (typeof value !== 'object' || value === null)
}

function callCanFail(node: Call, { numbers }: EvaluationPolicy): boolean {
  const definition = resolveCall(node, numbers)
  if (definition instanceof EvaluationError) return true
  const [first] = node.args
  if (definition.argument === 'path') return first === undefined || !isReference(first) || hasWildcard(first)
  return definition.lazy !== true && definition.tests === undefined
}
