import {
  type Budget,
  BudgetError,
  constantOf,
  defined,
  EvaluationError,
  type EvaluationPolicy,
  type Expression,
  type Field,
  fold,
  foldingBudget,
  FUNCTIONS,
  interpret,
  isList,
  isObject,
  NO_SPAN,
  parsePath,
  print,
  printPath,
  rewrite,
  type Segment,
  type Value,
  walk,
} from '@engine/expression'
import type { Pausing } from './pausable-work.ts'

/**
 * Known state of variables at a step: an expression over fields that gives the value; undefined when only an execution
 * knows it.
 */
export type Variables = ReadonlyMap<string, Expression | undefined>

/** The known values for partial evaluation. */
export interface Knowledge {
  readonly input: Value
  /** Paths at and below which a field without a value is a column; elsewhere it is missing. Undefined: everywhere. */
  readonly unknown?: readonly (readonly Segment[])[] | undefined
  readonly policy: EvaluationPolicy
  /** Epoch milliseconds: the value of `now()` in this filter. */
  readonly now: number
  readonly budget: Budget
}

/** The path certainly has no value: a value on the path, such as null, has no members. */
const MISSING = Symbol('missing')

/**
 * The known value at a field's path; undefined when it is a column. A null counts as known. Of an object only the given
 * members are known; of a list all items are.
 */
function knownAt(
  { input, unknown }: Pick<Knowledge, 'input' | 'unknown'>,
  path: readonly Segment[],
): Value | typeof MISSING | undefined {
  const absent = unknown === undefined || unknown.some((one) => overlaps(one, path)) ? undefined : MISSING
  let value: Value | undefined = path.length === 0 ? undefined : input
  for (const segment of path) {
    if (typeof value !== 'object' || value === null) return MISSING
    if (segment.kind === 'wildcard') return undefined
    if (isList(value)) {
      value = segment.kind === 'index' ? value.at(segment.index) : undefined
      if (value === undefined) return MISSING
    } else {
      const key = segment.kind === 'name' ? segment.name : String(segment.index)
      value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      if (value === undefined) return absent
    }
  }
  return value
}

/** Whether one of two paths leads to the other or into it. */
function overlaps(one: readonly Segment[], other: readonly Segment[]): boolean {
  const shorter = Math.min(one.length, other.length)
  for (let at = 0; at < shorter; at++) if (keyOf(one[at]) !== keyOf(other[at])) return false
  return true
}

const keyOf = (segment: Segment | undefined): string | number | undefined =>
  segment?.kind === 'name' ? segment.name : segment?.kind === 'index' ? segment.index : undefined

const literal = (value: Value): Expression => ({ kind: 'literal', value, span: NO_SPAN })

/** Maximum number of parts that variables may add to one expression, so that repeated doubling ends. */
const MAX_SIZE = 2000

/** Variables would add more than `MAX_SIZE` parts to one expression. */
export class GrownTooLarge extends Error {
  override readonly name = 'GrownTooLarge'
  constructor() {
    super(`the values of its variables have more than ${MAX_SIZE} parts`)
  }
}

/**
 * Partially evaluates an expression: substitutes and computes known input fields, variables and `now()`. Undefined when
 * it reads a variable with unknown value. Throws `GrownTooLarge`.
 */
export function* evaluated(
  expression: Expression,
  variables: Variables,
  knowledge: Knowledge,
): Pausing<Expression | undefined> {
  const { budget } = knowledge
  charge(expression, variables, budget)
  if (budget.wantsPause) yield
  let isKnown = true
  // Tests for presence are resolved on the field, before its value replaces it.
  const asked = rewrite(expression, (node) => presence(node, variables, knowledge))
  if (budget.wantsPause) yield
  const replaced = rewrite(asked, (node) => {
    if (node.kind === 'field') return ofField(node, knowledge)
    if (node.kind === 'variable') {
      if (!variables.has(node.name)) return unset(node, knowledge)
      const value = variables.get(node.name)
      if (value === undefined) isKnown = false
      return value === undefined ? node : inside(value, node.path, knowledge)
    }
    return node.kind === 'call' ? computed(node, knowledge) : node
  })
  if (budget.wantsPause) yield
  return isKnown ? fold(replaced, knowledge.policy, budget) : undefined
}

/** Units of work of one part of an expression in all passes. */
const PART_COST = 16

function charge(expression: Expression, variables: Variables, budget: Budget): void {
  let added = 0
  walk(expression, (node) => {
    budget.spend(PART_COST)
    const value = node.kind === 'variable' ? variables.get(node.name) : undefined
    if (value !== undefined) added += sizeOf(value)
  })
  if (added > MAX_SIZE) throw new GrownTooLarge()
  budget.spend(PART_COST * added)
}

const sizes = new WeakMap<Expression, number>()

function sizeOf(expression: Expression): number {
  const known = sizes.get(expression)
  if (known !== undefined) return known
  let size = 0
  walk(expression, () => size++)
  sizes.set(expression, size)
  return size
}

function ofField(node: Field, knowledge: Knowledge): Expression {
  const value = knownAt(knowledge, node.path)
  if (value === undefined) return node
  if (value !== MISSING) return literal(value)
  // A variable that is never set fails wherever it is read, as this field does in mode `strict`.
  return valueOf(node, knowledge, 0) ?? { kind: 'variable', name: printPath(node), path: [], span: NO_SPAN }
}

/** Presence tests: a value that is certainly missing must not make them fail. */
function presence(node: Expression, variables: Variables, knowledge: Knowledge): Expression {
  if (node.kind !== 'call') return node
  const definition = FUNCTIONS.get(node.name)
  if (definition?.guarded !== true) return node
  const { policy } = knowledge
  const isUnset = (argument: Expression | undefined): boolean =>
    argument?.kind === 'variable' && !variables.has(argument.name)
  if (definition.argument === 'path' && node.args.length === 1) {
    if (isUnset(node.args[0])) return literal(false)
    const field = pathArgument(defined(node.args[0]))
    if (field === undefined) return node
    const value = knownAt(knowledge, field.path)
    return value === undefined ? { ...node, args: [field] } : literal(value !== MISSING)
  }
  if (policy.mode !== 'strict') return node
  const args = node.args.map((argument) =>
    isUnset(argument) || (argument.kind === 'field' && knownAt(knowledge, argument.path) === MISSING)
      ? literal(null)
      : argument,
  )
  return { ...node, args }
}

/** A path as quoted text: `exists("a.b")` tests the path `a.b`. */
function pathArgument(argument: Expression): Field | undefined {
  if (argument.kind === 'field') return argument
  const text = constantOf(argument)
  const parsed = typeof text === 'string' ? parsePath(text) : undefined
  return parsed?.kind === 'parsed' && parsed.expression.kind === 'field' ? parsed.expression : undefined
}

/** A variable that is never set is certainly missing. */
function unset(node: Expression, knowledge: Knowledge): Expression {
  return valueOf(node, knowledge, 0) ?? node
}

function inside(value: Expression, path: readonly Segment[], knowledge: Knowledge): Expression {
  if (path.length === 0) return value
  if (value.kind === 'field') return { ...value, path: [...value.path, ...path] }
  const member: Expression = { kind: 'member', object: value, path, span: NO_SPAN }
  return constantOf(value) === undefined ? member : (valueOf(member, knowledge, 0) ?? member)
}

/** A call with constant arguments, or `now()`. */
function computed(node: Expression & { kind: 'call' }, knowledge: Knowledge): Expression {
  if (FUNCTIONS.get(node.name)?.volatile !== true) return node
  if (!node.args.every((argument) => constantOf(argument) !== undefined)) return node
  return valueOf(node, knowledge, knowledge.now) ?? node
}

function valueOf(node: Expression, { policy, budget }: Knowledge, now: number): Expression | undefined {
  try {
    const runtime = { now, budget: budget ?? foldingBudget() }
    return literal(interpret(node, { input: {}, variables: { get: () => undefined }, policy, runtime }))
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
    throw error
  }
}

/** Names of the variables that an expression reads. */
export function variablesIn(expression: Expression, into: Set<string>, budget?: Budget): void {
  walk(expression, (node) => {
    budget?.spend(2)
    if (node.kind === 'variable') into.add(node.name)
  })
}

/** Equal states have equal keys. */
export function variablesKey(variables: Variables, budget: Budget): string {
  if (variables.size === 0) return ''
  const parts: string[] = []
  for (const [name, value] of variables) {
    const text = value === undefined ? '?' : printed(value)
    budget.spend(text.length >> 2)
    parts.push(`${JSON.stringify(name)} ${text}`)
  }
  const key = parts.sort().join('\n')
  budget.create(key.length)
  return key
}

const texts = new WeakMap<Expression, string>()

function printed(expression: Expression): string {
  const known = texts.get(expression)
  if (known !== undefined) return known
  const text = print(expression)
  texts.set(expression, text)
  return text
}
