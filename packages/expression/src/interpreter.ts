import { defined } from './defined.ts'
import type { ArrayLiteral, Binary, Call, Expression, Lambda } from './ast.ts'
import { implementationOf, resolveCall } from './calls.ts'
import { constantOf } from './constant.ts'
import type { Argument, Callback } from './function-definition.ts'
import { DECIDED_BY, leftSpine } from './operator-table.ts'
import {
  binaryFunction,
  checkQuotient,
  compareQuotients,
  isQuotient,
  isQuotientComparison,
  type Quotient,
  type QuotientComparison,
} from './decimal-operators.ts'
import { negate, not } from './operators.ts'
import { instead, isPresent, isReference, readGuarded, readReference, type Reference } from './path.ts'
import { EvaluationError, type EvaluationPolicy, type Runtime } from './runtime.ts'
import { createList, createObject } from './creation.ts'
import { isTrue } from './truth.ts'
import type { Value } from './value.ts'

/** The evaluation environment of an expression. */
export interface Environment {
  readonly input: Value
  /** Undefined: unset. */
  readonly variables: { get(name: string): Value | undefined }
  readonly policy: EvaluationPolicy
  readonly runtime: Runtime
  /** Lambda parameters in scope. */
  readonly locals?: ReadonlyMap<string, Value>
}

/**
 * The value of an expression: the reference semantics that generated code must match, and the fallback where code
 * generation is forbidden. Throws `EvaluationError`.
 */
export function interpret(expression: Expression, environment: Environment): Value {
  environment.runtime.budget.spend(2)
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'field':
    case 'variable':
    case 'local':
    case 'member':
      return readReference(environment.runtime, expression, rootOf(expression, environment), environment.policy)
    case 'array':
      return constantOf(expression) ?? list(expression, environment)
    case 'object': {
      const constant = constantOf(expression)
      if (constant !== undefined) return constant
      createObject(environment.runtime, expression, expression.entries.length)
      return Object.fromEntries(expression.entries.map(({ key, value }) => [key, interpret(value, environment)]))
    }
    case 'unary': {
      const operand = interpret(expression.operand, environment)
      return expression.operator === '!'
        ? not(environment.runtime, operand)
        : negate(environment.runtime, expression, operand)
    }
    case 'binary':
      return interpretChain(expression, environment)
    case 'conditional':
      return isTrue(interpret(expression.condition, environment), environment.runtime.budget)
        ? interpret(expression.consequent, environment)
        : interpret(expression.alternate, environment)
    case 'call':
      return interpretCall(expression, environment)
    case 'lambda':
      throw new EvaluationError('misplaced-lambda', 'a function is not a value', expression.span)
  }
}

function rootOf(node: Reference, environment: Environment): Value | undefined {
  switch (node.kind) {
    case 'field':
      return environment.input
    case 'variable':
      return environment.variables.get(node.name)
    case 'local':
      return environment.locals?.get(node.name)
    case 'member':
      return interpret(node.object, environment)
  }
}

function list(node: ArrayLiteral, environment: Environment): readonly Value[] {
  createList(environment.runtime, node, node.items.length)
  return node.items.map((item) => interpret(item, environment))
}

function interpretChain(expression: Binary, environment: Environment): Value {
  const { budget } = environment.runtime
  const { numbers } = environment.policy
  if (expression.left.kind !== 'binary') {
    if (isQuotientComparison(expression, numbers)) return interpretComparison(expression, environment)
    const left = interpret(expression.left, environment)
    budget.spend(1)
    return interpretOperator(expression, left, environment)
  }
  const { spine, base } = leftSpine(expression)
  let value = interpret(base, environment)
  budget.spend(spine.length)
  for (let index = spine.length - 1; index >= 0; index--) {
    const node = defined(spine[index])
    const comparison = index > 0 ? spine[index - 1] : undefined
    if (isQuotient(node, numbers) && comparison && isQuotientComparison(comparison, numbers)) {
      value = interpretComparison(comparison, environment, value)
      index--
    } else if (isQuotientComparison(node, numbers)) value = interpretComparison(node, environment, value)
    else value = interpretOperator(node, value, environment)
  }
  return value
}

/** One side of a comparison with its divisor, which is 1 unless the side is a quotient. */
type Side = readonly [value: Value, divisor: Value]

/** @param first the value of the left side, or of its dividend if it is a quotient; undefined if not yet evaluated */
function interpretComparison(node: QuotientComparison, environment: Environment, first?: Value): Value {
  const { policy, runtime } = environment
  const sideOf = (side: Expression, known?: Value): Side => {
    if (!isQuotient(side, policy.numbers)) return [known === undefined ? interpret(side, environment) : known, 1]
    return interpretQuotient(side, environment, known)
  }
  const left = sideOf(node.left, first)
  return compareQuotients(runtime, node, ...left, ...sideOf(node.right))
}

/** Dividend and divisor of a possible division. */
function interpretQuotient(node: Quotient, environment: Environment, dividend?: Value): Side {
  const first = dividend === undefined ? interpret(node.left, environment) : dividend
  const parts = [first, interpret(node.right, environment)] as const
  checkQuotient(environment.runtime, node, ...parts)
  return parts
}

function interpretOperator(node: Binary, left: Value, environment: Environment): Value {
  const apply = binaryFunction(node.operator, environment.policy.numbers)
  if (apply !== undefined) return apply(environment.runtime, node, left, interpret(node.right, environment))
  const decidedBy = DECIDED_BY.get(node.operator) === true
  const { budget } = environment.runtime
  return isTrue(left, budget) === decidedBy ? decidedBy : isTrue(interpret(node.right, environment), budget)
}

function interpretCall(node: Call, environment: Environment): Value {
  const definition = resolveCall(node, environment.policy.numbers)
  if (definition instanceof EvaluationError) throw definition
  environment.runtime.budget.spend(node.args.length + definition.cost)
  const isGuarded = definition.guarded === true
  if (isGuarded) {
    const [first] = node.args
    if (definition.argument === 'path' && first !== undefined && isReference(first))
      return isPresent(environment.runtime, first, rootOf(first, environment))
    if (definition.lazy) return interpretLazily(node, environment)
  }
  const [quotient, ...others] = node.args
  if (definition.ofQuotient !== undefined && isQuotient(quotient, environment.policy.numbers)) {
    const parts = interpretQuotient(quotient, environment)
    const rest = others.map((argument) => interpret(argument, environment))
    return definition.ofQuotient(environment.runtime, node, ...parts, ...rest)
  }
  const args = node.args.map((argument): Argument => {
    if (argument.kind === 'lambda') return callback(argument, environment)
    return isGuarded ? interpretGuarded(argument, environment) : interpret(argument, environment)
  })
  return implementationOf(definition, environment.policy.numbers)(environment.runtime, node, ...args)
}

/** The first value that is not null; later arguments are not evaluated. */
function interpretLazily(node: Call, environment: Environment): Value {
  for (const argument of node.args) {
    const value = interpretGuarded(argument, environment)
    if (value !== null) return value
  }
  return null
}

/** A missing reference yields null or its default, and never an error. */
function interpretGuarded(argument: Expression, environment: Environment): Value {
  if (!isReference(argument)) return interpret(argument, environment)
  const value = readGuarded(environment.runtime, argument, rootOf(argument, environment))
  if (value !== undefined) return value
  return environment.policy.mode === 'strict' ? null : instead(argument, environment.policy)
}

function callback(lambda: Lambda, environment: Environment): Callback {
  const [item, index] = lambda.parameters
  const { budget } = environment.runtime
  return (value, at) => {
    budget.spend(16)
    const locals = new Map(environment.locals)
    if (item !== undefined) locals.set(item, value)
    if (index !== undefined) locals.set(index, at)
    return interpret(lambda.body, { ...environment, locals })
  }
}
