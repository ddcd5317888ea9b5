import {
  constantOf,
  type Binary,
  type Call,
  BudgetError,
  EvaluationError,
  foldingBudget,
  type Expression,
  type Field,
  interpret,
  isNumber,
  isTrue,
  type MissingPolicy,
  print,
  printPath,
  stringifyJson,
  type Value,
} from '@engine/expression'
import {
  ALWAYS,
  and,
  type Comparison,
  NEVER,
  or,
  type Predicate,
  type Test,
  type TextTest,
  opposite,
  OPPOSITES,
} from './predicate.ts'

/**
 * What a condition says about rows. Where it cannot fail, exactly one of both holds for each row; a row for which it fails
 * is in neither.
 */
export interface Condition {
  readonly holds: Predicate
  readonly fails: Predicate
  /** A row can make its evaluation fail: a missing field in mode `strict`. */
  readonly canFail: boolean
}

/** A condition that no filter can express. The message says what and why. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible'
}

/** What conditions are read with. */
export interface Reading {
  readonly policy: MissingPolicy
  /** Whether a field's column is known to hold no null. */
  readonly isNeverNull: (path: string) => boolean
  /** Two fields can be compared with each other. */
  readonly comparesFields: boolean
  /** A value can be a list or an object. */
  readonly holdsContainers: boolean
}

/**
 * The rows for which a condition is true and those for which it is false, by docs/semantics.md. Columns hold values of the
 * type that they are compared with, or null. Throws `Inexpressible`.
 */
export function conditionOf(expression: Expression, reading: Reading): Condition {
  const constant = constantOf(expression)
  if (constant !== undefined) return decided(isTrue(constant))
  switch (expression.kind) {
    case 'unary':
      if (expression.operator !== '!') break
      return negated(conditionOf(expression.operand, reading))
    case 'conditional': {
      const condition = conditionOf(expression.condition, reading)
      const whenTrue = both(condition, conditionOf(expression.consequent, reading))
      const whenFalse = both(negated(condition), conditionOf(expression.alternate, reading))
      return {
        holds: or([whenTrue.holds, whenFalse.holds]),
        fails: or([and([condition.holds, whenTrue.fails]), and([condition.fails, whenFalse.fails])]),
        canFail: whenTrue.canFail || whenFalse.canFail,
      }
    }
    case 'binary':
      return binary(expression, reading)
    case 'call':
      return call(expression, reading)
    case 'field':
      return ofColumn(expression, expression, { op: 'eq', value: true }, reading)
    // Nothing sets it: what is left of a variable fails when it is read.
    case 'variable':
      return { holds: NEVER, fails: NEVER, canFail: true }
    default:
  }
  throw inexpressible(expression)
}

function decided(isHolding: boolean): Condition {
  return isHolding ? { holds: ALWAYS, fails: NEVER, canFail: false } : { holds: NEVER, fails: ALWAYS, canFail: false }
}

function negated({ holds, fails, canFail }: Condition): Condition {
  return { holds: fails, fails: holds, canFail }
}

/** `left && right`: where the left is false the right is not evaluated, and cannot fail. */
function both(left: Condition, right: Condition): Condition {
  return {
    holds: and([left.holds, right.holds]),
    fails: or([left.fails, left.canFail ? and([left.holds, right.fails]) : right.fails]),
    canFail: left.canFail || right.canFail,
  }
}

/** `left || right`, likewise. */
export function either(left: Condition, right: Condition): Condition {
  return negated(both(negated(left), negated(right)))
}

const COMPARISONS: Readonly<Partial<Record<Binary['operator'], Comparison>>> = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
}
const FLIPPED: Readonly<Record<Comparison, Comparison>> = { eq: 'eq', ne: 'ne', lt: 'gt', gt: 'lt', le: 'ge', ge: 'le' }

function binary(node: Binary, reading: Reading): Condition {
  const { operator, left, right } = node
  if (operator === '&&') return both(conditionOf(left, reading), conditionOf(right, reading))
  if (operator === '||') return either(conditionOf(left, reading), conditionOf(right, reading))
  const comparison = COMPARISONS[operator]
  if (comparison !== undefined) return compared(node, comparison, reading)
  if (operator === 'in') return membership(node, left, right, reading)
  if (operator === 'not in') return negated(membership({ ...node, operator: 'in' }, left, right, reading))
  if (operator === 'contains') return membership(node, right, left, reading)
  throw inexpressible(node)
}

function compared(node: Binary, comparison: Comparison, reading: Reading): Condition {
  const { left, right } = node
  const [leftValue, rightValue] = [constantOf(left), constantOf(right)]
  if (left.kind === 'field' && rightValue !== undefined)
    return comparedWith(node, left, comparison, rightValue, reading)
  if (right.kind === 'field' && leftValue !== undefined)
    return comparedWith(node, right, FLIPPED[comparison], leftValue, reading)
  if (left.kind === 'field' && right.kind === 'field') return columns(node, comparison, left, right, reading)
  // `(a > 1) == true`: a condition compared with a truth.
  const [condition, truth] = rightValue === undefined ? [right, leftValue] : [left, rightValue]
  if (typeof truth === 'boolean' && isCondition(condition) && (comparison === 'eq' || comparison === 'ne')) {
    const inner = conditionOf(condition, reading)
    return truth === (comparison === 'eq') ? inner : negated(inner)
  }
  throw inexpressible(node)
}

/** Whether an expression gives `true` or `false` and nothing else. */
function isCondition(expression: Expression): boolean {
  if (expression.kind === 'unary') return expression.operator === '!'
  if (expression.kind === 'call') return expression.name in TEXT_TESTS || expression.name === 'is_null'
  return expression.kind === 'binary' && !['+', '-', '*', '/', '%'].includes(expression.operator)
}

function comparedWith(node: Binary, field: Field, op: Comparison, value: Value, reading: Reading): Condition {
  if (value === null) return ofColumn(node, field, op === 'ne', reading)
  if (op !== 'eq' && op !== 'ne' && !isNumber(value) && typeof value !== 'string') throw inexpressible(node)
  return ofColumn(node, field, { op, value }, reading)
}

/** `item in container`, one of which is a field. */
function membership(node: Binary | Call, item: Expression, container: Expression, reading: Reading): Condition {
  const [itemValue, list] = [constantOf(item), constantOf(container)]
  if (item.kind === 'field' && Array.isArray(list)) {
    const values = (list as readonly Value[]).filter((value) => value !== null)
    if (values.length === 0) return ofColumn(node, item, false, reading)
    const condition = ofColumn(node, item, { op: 'in', values }, reading)
    return values.length === list.length ? condition : naming(condition)
  }
  if (item.kind === 'field' && list === null) return ofColumn(node, item, false, reading)
  if (container.kind === 'field' && typeof itemValue === 'string')
    return textTest(node, container, 'contains', itemValue, reading)
  throw inexpressible(node)
}

/** A null that the rule itself names is no guard: it is always written. */
function naming(condition: Condition): Condition {
  const { holds } = condition
  if (holds.kind !== 'test' || !holds.orNull) return condition
  return {
    ...condition,
    holds: or([
      { ...holds, orNull: false },
      { kind: 'null', path: holds.path },
    ]),
  }
}

const TEXT_TESTS: Readonly<Record<string, TextTest>> = {
  contains: 'contains',
  starts_with: 'starts_with',
  ends_with: 'ends_with',
}

function call(node: Call, reading: Reading): Condition {
  const [first, second] = node.args
  if (first?.kind === 'field' && node.name === 'is_null') return ofColumn(node, first, false, reading)
  if (first?.kind === 'field' && node.name === 'exists') return ofColumn(node, first, true, reading)
  const text = Object.hasOwn(TEXT_TESTS, node.name) ? TEXT_TESTS[node.name] : undefined
  if (text === undefined || first === undefined || second === undefined) throw inexpressible(node)
  if (text === 'contains' && first.kind !== 'field') return membership(node, second, first, reading)
  const value = constantOf(second)
  if (first.kind !== 'field' || typeof value !== 'string') throw inexpressible(node)
  return textTest(node, first, text, value, reading)
}

function textTest(node: Expression, field: Field, op: TextTest, value: string, reading: Reading): Condition {
  if (value === '') return ofColumn(node, field, true, reading)
  return ofColumn(node, field, { op, value }, reading)
}

/**
 * A condition on one column: what it asks of values that are not null, of which it is false otherwise. What it says of
 * null is asked of the rules themselves.
 */
function ofColumn(node: Expression, field: Field, holds: Test | boolean, reading: Reading): Condition {
  const path = columnPath(field)
  const fails = typeof holds === 'boolean' ? !holds : opposite(holds)
  if (!reading.holdsContainers) refuseContainers(holds)
  if (reading.isNeverNull(path)) return { holds: among(path, holds), fails: among(path, fails), canFail: false }
  const ofNull = outcome(node, reading.policy)
  return {
    holds: withNull(path, holds, ofNull === true),
    fails: withNull(path, fails, ofNull === false),
    canFail: ofNull === undefined,
  }
}

function refuseContainers(test: Test | boolean): void {
  if (typeof test === 'boolean') return
  const values: readonly Value[] = 'values' in test ? test.values : [test.value]
  const container = values.find((value) => typeof value === 'object' && value !== null)
  if (container !== undefined)
    throw new Inexpressible(`\`${stringifyJson(container).slice(0, 80)}\` is no value that a column of SQL holds`)
}

function among(path: string, test: Test | boolean): Predicate {
  if (typeof test === 'boolean') return test ? ALWAYS : NEVER
  return { kind: 'test', path, test, orNull: false }
}

function withNull(path: string, test: Test | boolean, includesNull: boolean): Predicate {
  if (test === true) return includesNull ? ALWAYS : { kind: 'not_null', path }
  if (test === false) return includesNull ? { kind: 'null', path } : NEVER
  return { kind: 'test', path, test, orNull: includesNull }
}

/** The truth of an expression when all its fields are missing; undefined when it fails. */
function outcome(node: Expression, policy: MissingPolicy): boolean | undefined {
  try {
    const environment = {
      input: {},
      variables: { get: () => undefined },
      missing: policy,
      runtime: { now: 0, budget: foldingBudget() },
    }
    return isTrue(interpret(node, environment))
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
    throw error
  }
}

/** Two columns. */
function columns(node: Binary, op: Comparison, left: Field, right: Field, reading: Reading): Condition {
  const { policy, isNeverNull } = reading
  if (!reading.comparesFields)
    throw new Inexpressible('two fields compared with each other have no form in this format')
  const paths = { left: columnPath(left), right: columnPath(right) }
  if (policy.mode === 'default' && (policy.defaults.has(paths.left) || policy.defaults.has(paths.right)))
    throw new Inexpressible(`\`${print(node)}\` compares two fields, one of which has a default`)
  const canFail = policy.mode === 'strict' && !(isNeverNull(paths.left) && isNeverNull(paths.right))
  const hasNulls = policy.mode !== 'strict' && !(isNeverNull(paths.left) && isNeverNull(paths.right))
  const holds = { kind: 'compare', op, ...paths } as const
  const fails = { kind: 'compare', op: OPPOSITES[op], ...paths } as const
  if (!hasNulls) return { holds: { ...holds, nulls: 'none' }, fails: { ...fails, nulls: 'none' }, canFail }
  if (op === 'eq') return { holds: { ...holds, nulls: 'both' }, fails: { ...fails, nulls: 'one' }, canFail }
  if (op === 'ne') return { holds: { ...holds, nulls: 'one' }, fails: { ...fails, nulls: 'both' }, canFail }
  return { holds: { ...holds, nulls: 'none' }, fails: { ...fails, nulls: 'either' }, canFail }
}

/** A field's canonical text. Columns are not lists: a path with an index or a wildcard is none. */
function columnPath(field: Field): string {
  if (field.path.length === 0) throw new Inexpressible('`$`, the whole input, is no column')
  if (field.path.some(({ kind }) => kind !== 'name'))
    throw new Inexpressible(`\`${printPath(field)}\` looks into a list, which no column is`)
  return printPath(field)
}

function inexpressible(node: Expression): Inexpressible {
  return new Inexpressible(`\`${print(node)}\` cannot be written as a filter: ${reasonOf(node)}`)
}

function reasonOf(node: Expression): string {
  if (node.kind === 'call') return `the function \`${node.name}\` has no form there`
  if (node.kind === 'unary') return 'arithmetic has no form there'
  if (node.kind === 'binary' && ['+', '-', '*', '/', '%'].includes(node.operator)) return 'arithmetic has no form there'
  if (node.kind === 'binary') {
    const inner = [node.left, node.right].find(({ kind }) => kind !== 'field' && kind !== 'literal' && kind !== 'array')
    if (inner !== undefined) return reasonOf(inner)
    return `\`${node.operator}\` has no form there for these operands`
  }
  return 'it has no form there'
}
