import {
  type Binary,
  type Budget,
  BudgetError,
  type Call,
  constantOf,
  EvaluationError,
  type EvaluationPolicy,
  type Expression,
  type Field,
  foldingBudget,
  FUNCTIONS,
  interpret,
  isBinaryOf,
  isDecimal,
  isList,
  isNumber,
  isTrue,
  operandsOf,
  OPERATORS,
  print,
  printPath,
  quote,
  quoteCode,
  stringifyJson,
  TYPE,
  type Value,
} from '@engine/expression'
import {
  asDouble,
  asInteger,
  asDecimal,
  type ColumnType,
  type FieldTypes,
  kindOf,
  kindOfColumn,
  ofDecimals,
  ofDoubles,
  ofIntegers,
} from './column-types.ts'
import { type Comparison, comparisonOf, COMPARISONS, flipped, type TextTest, textTestOf } from './operations.ts'
import { decimalLiteral } from './number-literal.ts'
import type { Pausing } from './pausable-work.ts'
import { type Nulls, opposite, type Predicate, type Predicates, type Test } from './predicate.ts'

/**
 * The meaning of a condition for rows. Unless it fails, exactly one of the two holds for each row; a row for which it
 * fails is in neither.
 */
export interface Condition {
  readonly holds: Predicate
  readonly fails: Predicate
  /** Its evaluation can fail for some rows: a missing field in mode `strict`. */
  readonly canFail: boolean
  /** The rows for which it does not fail, when that is shorter than the union of both. */
  readonly defined?: Predicate
}

/** A condition that no filter can express. The message contains the condition and the reason. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible'
  /** The text of the expression, or the kind of the action, that has no equivalent. */
  readonly construct: string | undefined
  constructor(message: string, construct?: string) {
    super(message)
    this.construct = construct
  }
}

/** The context for translating conditions. */
export interface Reading {
  readonly policy: EvaluationPolicy
  readonly budget: Budget
  readonly predicates: Predicates
  readonly types: FieldTypes
  /** Fields that the rules compare with null by `!=` and `==`: MongoDB has a shorter form. */
  readonly comparedWithNull: Set<string>
  /** Fields whose presence the rules test. */
  readonly askedForPresence: Set<string>
  /** Whether a field's column is known to be not null. */
  readonly isNeverNull: (path: string) => boolean
  /** Fields can be compared with each other. */
  readonly comparesFields: boolean
  /** A value can be a list or an object. */
  readonly holdsContainers: boolean
}

/**
 * The rows for which a condition is true and those for which it is false, according to docs/semantics.md. Columns hold
 * values of the type that they are compared with, or null. Throws `Inexpressible`.
 */
export function* toPredicate(expression: Expression, reading: Reading): Pausing<Condition> {
  const { predicates } = reading
  const constant = constantOf(expression)
  if (constant !== undefined) return decided(isTrue(constant), predicates)
  switch (expression.kind) {
    case 'unary':
      if (expression.operator !== '!') break
      return negated(yield* toPredicate(expression.operand, reading))
    case 'conditional': {
      const condition = yield* toPredicate(expression.condition, reading)
      const yes = yield* toPredicate(expression.consequent, reading)
      const no = yield* toPredicate(expression.alternate, reading)
      const either = (whenTrue: Predicate, whenFalse: Predicate): Predicate =>
        predicates.or([predicates.and([condition.holds, whenTrue]), predicates.and([condition.fails, whenFalse])])
      return {
        holds: either(yes.holds, no.holds),
        fails: either(yes.fails, no.fails),
        canFail: condition.canFail || yes.canFail || no.canFail,
      }
    }
    case 'binary':
      return alwaysFails(expression) ? alwaysFailing(predicates) : yield* binary(expression, reading)
    case 'call':
      return alwaysFails(expression) ? alwaysFailing(predicates) : call(expression, reading)
    case 'field':
      return truthOfColumn(expression, reading)
    case 'variable':
      return alwaysFailing(predicates)
    default:
  }
  throw inexpressible(expression)
}

function decided(isHolding: boolean, { always, never }: Predicates): Condition {
  return isHolding ? { holds: always, fails: never, canFail: false } : { holds: never, fails: always, canFail: false }
}

function alwaysFailing({ never }: Predicates): Condition {
  return { holds: never, fails: never, canFail: true }
}

/** Whether an expression always reads a variable: a remaining variable is never set, so reading it fails. */
function alwaysFails(expression: Expression): boolean {
  switch (expression.kind) {
    case 'variable':
      return true
    case 'unary':
      return alwaysFails(expression.operand)
    case 'binary':
      if (isBinaryOf('logic', expression)) return false
      return alwaysFails(expression.left) || alwaysFails(expression.right)
    case 'call':
      return FUNCTIONS.get(expression.name)?.guarded !== true && expression.args.some(alwaysFails)
    default:
      return false
  }
}

function negated(condition: Condition): Condition {
  return { ...condition, holds: condition.fails, fails: condition.holds }
}

/** Conditions per group: an alternative lists all its predecessors in the group. */
const GROUP = 8

/**
 * `a && b && …`: operands after a false one are not evaluated, and cannot fail. Without failures both results are flat.
 * With failures each operand's false case must also require that its predecessors do not fail: grouping limits this to
 * n log n parts, a few levels deep.
 */
function conjunction(parts: readonly Condition[], predicates: Predicates): Condition {
  const failing = parts.filter(({ canFail }) => canFail)
  const waitedFor = new Set(failing.map(({ defined, holds }) => defined ?? holds))
  if (parts.length > GROUP && waitedFor.size > GROUP) {
    const size = Math.ceil(parts.length / GROUP)
    const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
      conjunction(parts.slice(index * size, (index + 1) * size), predicates),
    )
    return conjunction(groups, predicates)
  }
  const before = new Set<Predicate>()
  const fails = parts.map((part) => {
    const waiting = [...before].filter((one) => !isImplied(one, part.fails))
    if (part.canFail) before.add(part.defined ?? part.holds)
    return waiting.length === 0 ? part.fails : predicates.and([...waiting, part.fails])
  })
  const [defined] = waitedFor
  return {
    holds: predicates.and(parts.map(({ holds }) => holds)),
    fails: predicates.or(fails),
    canFail: failing.length > 0,
    // Only when the first operand, which is always evaluated, fails for every row for which the others fail.
    ...(waitedFor.size === 1 && defined !== undefined && parts[0]?.defined === defined ? { defined } : {}),
  }
}

/** Whether a test already excludes null for its column. */
function isImplied(defined: Predicate, test: Predicate): boolean {
  return defined.kind === 'not_null' && test.kind === 'test' && !test.orNull && test.path === defined.path
}

function* binary(node: Binary, reading: Reading): Pausing<Condition> {
  const { operator, left, right } = node
  const { decidedBy, negates, container } = OPERATORS[operator]
  if (decidedBy !== undefined) {
    const operands: Condition[] = []
    for (const operand of operandsOf(node, operator)) {
      operands.push(yield* toPredicate(operand, reading))
      if (reading.budget.wantsPause) yield
    }
    if (!decidedBy) return conjunction(operands, reading.predicates)
    return negated(conjunction(operands.map(negated), reading.predicates))
  }
  const comparison = comparisonOf(operator)
  if (comparison !== undefined) return yield* compared(node, comparison, reading)
  if (container === undefined) throw inexpressible(node)
  if (negates !== undefined) return negated(yield* binary({ ...node, operator: negates }, reading))
  return container === 'right' ? membership(node, left, right, reading) : membership(node, right, left, reading)
}

function* compared(node: Binary, comparison: Comparison, reading: Reading): Pausing<Condition> {
  const { left, right } = node
  const [leftValue, rightValue] = [constantOf(left), constantOf(right)]
  if (left.kind === 'field' && rightValue !== undefined)
    return comparedWith(node, left, comparison, rightValue, reading)
  if (right.kind === 'field' && leftValue !== undefined)
    return comparedWith(node, right, flipped(comparison), leftValue, reading)
  if (left.kind === 'field' && right.kind === 'field') return columns(node, comparison, left, right, reading)
  // `(a > 1) == true`: a condition compared with a boolean.
  const [condition, truth] = rightValue === undefined ? [right, leftValue] : [left, rightValue]
  if (typeof truth === 'boolean' && isCondition(condition) && (comparison === 'eq' || comparison === 'ne')) {
    const inner = yield* toPredicate(condition, reading)
    return truth === (comparison === 'eq') ? inner : negated(inner)
  }
  throw inexpressible(node)
}

/** Whether an expression always yields a boolean. */
function isCondition(expression: Expression): boolean {
  if (expression.kind === 'unary') return expression.operator === '!'
  if (expression.kind === 'call')
    return textTestOf(expression.name) !== undefined || FUNCTIONS.get(expression.name)?.tests === TYPE.null
  return expression.kind === 'binary' && !isBinaryOf('arithmetic', expression)
}

function comparedWith(node: Binary, field: Field, op: Comparison, value: Value, reading: Reading): Condition {
  if (value === null) {
    reading.comparedWithNull.add(printPath(field))
    return ofColumn(node, field, op === 'ne', reading)
  }
  if (op !== 'eq' && op !== 'ne' && !isNumber(value) && typeof value !== 'string') throw inexpressible(node)
  requireHeld(field, [value], reading)
  return ofColumn(node, field, { op, value }, reading)
}

/** Throws `Inexpressible` for decimals with more digits than doubles, compared with a column without a stated type. */
function requireHeld(field: Field, values: readonly Value[], { types }: Reading): void {
  const decimal = values.find(isDecimal)
  const path = printPath(field)
  if (decimal !== undefined && types.of(path) === undefined)
    throw new Inexpressible(
      `${String(decimal)} has more digits than a double: state the type of the column ${quote(path)} (\`columns\`)`,
    )
}

/** `item in container`, where one is a field. */
function membership(node: Binary | Call, item: Expression, container: Expression, reading: Reading): Condition {
  const [itemValue, list] = [constantOf(item), constantOf(container)]
  if (item.kind === 'field' && isList(list)) {
    if (list.length > MAX_LIST) throw new Inexpressible(`a list has more than ${MAX_LIST} values`)
    const values = list.filter((value) => value !== null)
    requireHeld(item, values, reading)
    if (values.length === 0) return ofColumn(node, item, false, reading)
    const condition = ofColumn(node, item, { op: 'in', values }, reading)
    return values.length === list.length ? condition : naming(condition, reading.predicates)
  }
  if (item.kind === 'field' && list === null) return ofColumn(node, item, false, reading)
  if (container.kind === 'field' && typeof itemValue === 'string')
    return textTest(node, container, 'contains', itemValue, reading)
  throw inexpressible(node)
}

/** Maximum number of values of one list: no database accepts more text. */
export const MAX_LIST = 100_000

/** A null test in the rule itself is not a guard: it is always written. */
function naming(condition: Condition, predicates: Predicates): Condition {
  const { holds } = condition
  if (holds.kind !== 'test' || !holds.orNull) return condition
  const { path, test } = holds
  return { ...condition, holds: predicates.or([predicates.test(path, test, false), predicates.isNull(path)]) }
}

function call(node: Call, reading: Reading): Condition {
  const [first, second] = node.args
  const definition = FUNCTIONS.get(node.name)
  const isPresence = definition?.argument === 'path'
  if (first?.kind === 'field' && (isPresence || definition?.tests === TYPE.null)) {
    reading.askedForPresence.add(printPath(first))
    return ofColumn(node, first, isPresence, reading)
  }
  const text = textTestOf(node.name)
  if (text === undefined || first === undefined || second === undefined) throw inexpressible(node)
  if (node.name === 'contains' && first.kind !== 'field') return membership(node, second, first, reading)
  const value = constantOf(second)
  if (first.kind !== 'field' || typeof value !== 'string') throw inexpressible(node)
  return textTest(node, first, text, value, reading)
}

function textTest(node: Expression, field: Field, op: TextTest, value: string, reading: Reading): Condition {
  const type = reading.types.of(columnPath(field))
  // Every text contains the empty text.
  if (value === '' && (type === undefined || type === 'text')) {
    reading.types.use(columnPath(field), 'text')
    return ofColumn(node, field, true, reading)
  }
  return ofColumn(node, field, { op, value }, reading)
}

/** A bare field: a boolean column, unless its type is stated. */
function truthOfColumn(field: Field, reading: Reading): Condition {
  const type = reading.types.of(columnPath(field))
  if (type === 'text') return ofColumn(field, field, { op: 'ne', value: '' }, reading)
  if (type !== undefined && kindOfColumn(type) === 'number')
    return ofColumn(field, field, { op: 'ne', value: 0 }, reading)
  return ofColumn(field, field, { op: 'eq', value: true }, reading)
}

/**
 * A condition on one column, from its test of non-null values; it is false for values that fail the test. Its result
 * for null is determined by evaluating the rule.
 */
function ofColumn(node: Expression, field: Field, asked: Test | boolean, reading: Reading): Condition {
  const path = columnPath(field)
  const { predicates, types } = reading
  if (!reading.holdsContainers) refuseContainers(asked)
  if (typeof asked !== 'boolean') for (const kind of new Set(valuesOf(asked).map(kindOf))) types.use(path, kind)
  const holds = typeof asked === 'boolean' ? asked : ofType(node, field, asked, reading)
  const answer = holds === 'failure' ? NOTHING : { holds, fails: typeof holds === 'boolean' ? !holds : opposite(holds) }
  const canFail = holds === 'failure'
  if (reading.isNeverNull(path)) {
    const among = (test: Test | boolean): Predicate => {
      if (typeof test === 'boolean') return test ? predicates.always : predicates.never
      return predicates.test(path, test, false)
    }
    return { holds: among(answer.holds), fails: among(answer.fails), canFail }
  }
  const ofNull = outcome(node, reading, {})
  const withNull = (test: Test | boolean, includesNull: boolean): Predicate => {
    if (test === true) return includesNull ? predicates.always : predicates.notNull(path)
    if (test === false) return includesNull ? predicates.isNull(path) : predicates.never
    return predicates.test(path, test, includesNull)
  }
  return {
    holds: withNull(answer.holds, ofNull === true),
    fails: withNull(answer.fails, ofNull === false),
    canFail: canFail || ofNull === undefined,
    ...(ofNull === undefined && !canFail ? { defined: predicates.notNull(path) } : {}),
  }
}

/** If the rules fail for a value, a condition is neither true nor false. */
const NOTHING = { holds: false, fails: false } as const

function valuesOf(test: Test): readonly Value[] {
  return 'values' in test ? test.values : [test.value]
}

/** A test restricted to values of a stated type: values of other types all have the same result. */
function ofType(node: Expression, field: Field, test: Test, reading: Reading): Test | boolean | 'failure' {
  const type = reading.types.of(printPath(field))
  if (type === undefined) return test
  const kind = kindOfColumn(type)
  const size = type === 'decimal' ? reading.types.sizeOf(printPath(field)) : undefined
  if ('values' in test) {
    const given = test.values.filter((value) => kindOf(value) === kind)
    const values = given
      .map((value) => (size === undefined ? HELD_AS[type](value) : asDecimal(value, size)))
      .filter((value) => value !== undefined)
    if (size !== undefined) requireShort(field, values)
    if (values.length === 0) return test.op === 'not_in'
    return { op: test.op, values }
  }
  if (kindOf(test.value) === kind) {
    if (size === undefined) return type === 'number' ? ofDoubles(test) : type === 'integer' ? ofIntegers(test) : test
    const bounded = ofDecimals(test, size)
    if (typeof bounded !== 'boolean') requireShort(field, valuesOf(bounded))
    return bounded
  }
  const input = inputWith(field, SAMPLES[kind])
  return outcome(node, reading, input) ?? 'failure'
}

/** Throws `Inexpressible` for fractions that a database could parse as doubles in comparisons with a decimal column. */
function requireShort(field: Field, values: readonly Value[]): void {
  const long = values.find(
    (value) =>
      isDecimal(value) ||
      (typeof value === 'number' && decimalLiteral(value).replace(/^-?0?\.?0*|\./g, '').length > 15),
  )
  if (long !== undefined)
    throw new Inexpressible(
      `${stringifyJson(long)} has more than 15 digits, which no filter compares with the column ${quote(printPath(field))} of decimals`,
    )
}

/** Converts a value to the column type; undefined if it cannot be stored: an integer column stores no fractions. */
const HELD_AS = {
  text: (value: Value) => value,
  boolean: (value: Value) => value,
  number: asDouble,
  integer: asInteger,
  decimal: (value: Value) => value,
} as const satisfies Readonly<Record<ColumnType, (value: Value) => Value | undefined>>

const SAMPLES = { text: 'x', number: 1, boolean: true } as const

/** An input in which a field has a value. */
function inputWith(field: Field, value: Value): Value {
  return field.path.reduceRight<Value>(
    (inner, segment) => (segment.kind === 'name' ? { [segment.name]: inner } : inner),
    value,
  )
}

function refuseContainers(test: Test | boolean): void {
  if (typeof test === 'boolean') return
  const values: readonly Value[] = 'values' in test ? test.values : [test.value]
  const container = values.find((value) => typeof value === 'object' && value !== null && !isDecimal(value))
  if (container !== undefined)
    throw new Inexpressible(`${quote(stringifyJson(container))} cannot be the value of an SQL column`)
}

/** The truth of an expression for an input; undefined when it fails. */
function outcome(
  node: Expression,
  { policy, budget }: Pick<Reading, 'policy' | 'budget'>,
  input: Value,
): boolean | undefined {
  try {
    const runtime = { now: 0, budget: budget ?? foldingBudget() }
    const environment = {
      input,
      variables: { get: () => undefined },
      policy,
      runtime,
    }
    return isTrue(interpret(node, environment), runtime.budget)
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
    throw error
  }
}

/** A comparison of two columns. */
function columns(node: Binary, op: Comparison, left: Field, right: Field, reading: Reading): Condition {
  const { policy, isNeverNull, predicates } = reading
  if (!reading.comparesFields) throw new Inexpressible('comparing two fields is not supported in this format')
  const [one, other] = [columnPath(left), columnPath(right)]
  if (policy.mode === 'default' && (policy.defaults.has(one) || policy.defaults.has(other)))
    throw new Inexpressible(`${quoteCode(print(node))} compares two fields, one of which has a default`)
  refuseTypes(node, op, reading.types.of(one), reading.types.of(other))
  const mayBeNull = !(isNeverNull(one) && isNeverNull(other))
  const canFail = policy.mode === 'strict' && mayBeNull
  // The comparison is true for rows with nulls: never, where both are null, where one is, where any is.
  const [ofHolds, ofFails] = canFail || !mayBeNull ? (['none', 'none'] as const) : NULLS[op]
  return {
    holds: predicates.compare(op, one, other, ofHolds),
    fails: predicates.compare(COMPARISONS[op].opposite, one, other, ofFails),
    canFail,
  }
}

const NULLS = {
  eq: ['both', 'one'],
  ne: ['one', 'both'],
  lt: ['none', 'either'],
  le: ['none', 'either'],
  gt: ['none', 'either'],
  ge: ['none', 'either'],
} as const satisfies Readonly<Record<Comparison, readonly [Nulls, Nulls]>>

function refuseTypes(node: Binary, op: Comparison, left: ColumnType | undefined, right: ColumnType | undefined): void {
  if (left === undefined || right === undefined) return
  if (kindOfColumn(left) !== kindOfColumn(right))
    throw new Inexpressible(
      `${quoteCode(print(node))} compares a column of type ${quote(left)} with one of type ${quote(right)}`,
    )
  if (left === 'boolean' && op !== 'eq' && op !== 'ne')
    throw new Inexpressible(`${quoteCode(print(node))} compares the order of booleans, which have none`)
}

/** A field's canonical text. Columns are not lists: a path with an index or a wildcard is not a column. */
function columnPath(field: Field): string {
  if (field.path.length === 0) throw new Inexpressible('`$`, the whole input, is not a column')
  if (field.path.some(({ kind }) => kind !== 'name'))
    throw new Inexpressible(`${quoteCode(printPath(field))} reads an element of a list, which is not a column`)
  return printPath(field)
}

function inexpressible(node: Expression): Inexpressible {
  return new Inexpressible(`${quoteCode(print(node))} cannot be written as a filter: ${reasonOf(node)}`)
}

function reasonOf(node: Expression): string {
  if (node.kind === 'call') return `the function ${quote(node.name)} is not supported there`
  if (node.kind === 'unary') return 'arithmetic is not supported there'
  if (isBinaryOf('arithmetic', node)) return 'arithmetic is not supported there'
  if (node.kind === 'binary') {
    const inner = [node.left, node.right].find(({ kind }) => kind !== 'field' && kind !== 'literal' && kind !== 'array')
    if (inner !== undefined) return reasonOf(inner)
    return `${quote(node.operator)} is not supported there for these operands`
  }
  return 'it is not supported there'
}
