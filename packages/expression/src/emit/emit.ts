import type { Binary, Call, Conditional, Expression, Lambda, Unary } from '../ast.ts'
import { implementationOf, resolveCall } from '../calls.ts'
import { isQuotient, isQuotientComparison } from '../decimal-operators.ts'
import { constantOf } from '../constant.ts'
import { defined } from '../defined.ts'
import { emitBinary, emitOfQuotient, emitQuotientComparison } from './binary.ts'
import { emitArray, emitConstant, emitObject } from './literal.ts'
import { emitGuarded, emitPresence, emitReference } from './path.ts'
import type { EmitScope, Emission } from './emission.ts'
import { emitChain, emitCoefficient, emitOrderOfChains, isChain } from './scaled.ts'
import { interpret } from '../interpreter.ts'
import { isBinaryOf, isOperatorOf, leftSpine } from '../operator-table.ts'
import { negate } from '../operators.ts'
import { isReference } from '../path.ts'
import { EvaluationError, type EvaluationPolicy, type Runtime } from '../runtime.ts'
import { sizeOf } from '../size.ts'
import { TYPE } from '../types.ts'
import { isTrue } from '../truth.ts'
import type { Value } from '../value.ts'
import { walk } from '../visitor.ts'

/**
 * JavaScript that yields the value of an expression, never undefined. A single operand, see `Emission`. Contains no
 * user text: names and literals are passed in `scope.constants` (docs/decisions/0001).
 */
export function emitValue(expression: Expression, scope: EmitScope): string {
  return new Emitter(scope, new Map()).value(expression)
}

/** JavaScript that yields the truth of the value as true or false: cheaper than computing the value first. */
export function emitTruth(expression: Expression, scope: EmitScope): string {
  return new Emitter(scope, new Map()).truth(expression)
}

/** A value as a coefficient and, without a coefficient, as a plain value. */
export interface ScaledValue {
  /** JavaScript for the coefficient, NaN if there is none. */
  readonly coefficient: string
  /** JavaScript for the value, never undefined, used if there is no coefficient. */
  readonly otherwise: string
}

/** A value of a decimal ruleset in a scale; undefined if it has no coefficient in that scale. */
export function emitScaled(expression: Expression, scope: EmitScope, scale: number): ScaledValue | undefined {
  return new Emitter(scope, new Map()).scaled(expression, scale)
}

/** Deeper levels are interpreted, so that no engine's parser overflows its stack on generated code. */
const MAX_DEPTH = 40

/** Units of calling a lambda, excluding its body. */
const LAMBDA = 4

/** Maximum number of operators of a chain in one nested expression; longer chains become a sequence of assignments. */
const MAX_NESTED = 16

class Emitter implements Emission {
  readonly scope: EmitScope
  readonly locals: ReadonlyMap<string, string>
  readonly #free: string[] = []
  #depth: number
  /** True within the code that computes a chain one operator at a time. */
  #isFallback = false

  constructor(scope: EmitScope, locals: ReadonlyMap<string, string>, depth = 0) {
    this.scope = scope
    this.locals = locals
    this.#depth = depth
  }

  value(node: Expression): string {
    const text = this.nullish(node)
    return isReference(node) && this.scope.policy.mode !== 'strict' ? `(${text} ?? null)` : text
  }

  nullish(node: Expression): string {
    if (this.#depth >= MAX_DEPTH) return this.#interpreted(node)
    this.#depth++
    const text = this.#emit(node)
    this.#depth--
    return text
  }

  truth(node: Expression): string {
    const constant = constantOf(node)
    if (constant !== undefined) return String(isTrue(constant))
    if (node.kind === 'conditional' && this.#depth < MAX_DEPTH)
      return this.#conditional(node, (part) => this.truth(part))
    if (this.#depth < MAX_DEPTH && givesBoolean(node, this.scope.policy)) return this.nullish(node)
    const { constants, runtime } = this.scope
    const truthOf = constants.add(isTrue)
    return this.withTemporary(
      (t) => `(typeof (${t} = ${this.nullish(node)}) === 'boolean' ? ${t} : ${truthOf}(${t}, ${runtime}.budget))`,
    )
  }

  scaled(node: Expression, scale: number): ScaledValue | undefined {
    const coefficient = emitCoefficient(node, scale, this)
    return coefficient === undefined ? undefined : { coefficient, otherwise: this.#fallback(node) }
  }

  #fallback(node: Expression): string {
    this.#isFallback = true
    const text = this.value(node)
    this.#isFallback = false
    return text
  }

  withTemporary(use: (name: string) => string): string {
    const name = this.#free.pop() ?? this.scope.temporary()
    const text = use(name)
    this.#free.push(name)
    return text
  }

  #emit(node: Expression): string {
    switch (node.kind) {
      case 'literal':
        return emitConstant(node.value, this)
      case 'field':
      case 'variable':
      case 'local':
      case 'member':
        return emitReference(node, this)
      case 'array':
        return emitArray(node, this)
      case 'object':
        return emitObject(node, this)
      case 'unary':
        return node.operator === '!' ? `(!${this.truth(node.operand)})` : this.#negation(node)
      case 'binary':
        return isBinaryOf('logic', node) ? this.#logic(node) : this.#chain(node)
      case 'conditional':
        return this.#conditional(node, (part) => this.value(part))
      case 'call':
        return this.#call(node)
      case 'lambda':
        return this.#failure(new EvaluationError('misplaced-lambda', 'a function is not a value', node.span))
    }
  }

  #conditional(node: Conditional, emitPart: (part: Expression) => string): string {
    this.#depth++
    const condition = this.truth(node.condition)
    const text = `(${condition} ? ${emitPart(node.consequent)} : ${emitPart(node.alternate)})`
    this.#depth--
    return text
  }

  #negation(node: Unary): string {
    const { constants, runtime } = this.scope
    const slow = (t: string) => `${constants.add(negate)}(${runtime}, ${constants.add(node)}, ${t})`
    return this.withTemporary((t) => `(typeof (${t} = ${this.value(node.operand)}) === 'number' ? -${t} : ${slow(t)})`)
  }

  /** `a && b && c`: flat, because JavaScript's parser accepts it flat. */
  #logic(node: Binary): string {
    const { spine, base } = leftSpine(node, (operator) => operator === node.operator)
    const operands = [...spine.map(({ right }) => this.truth(right)), this.truth(base)]
    return `(${operands.toReversed().join(` ${node.operator} `)})`
  }

  #chain(node: Binary): string {
    const { numbers } = this.scope.policy
    if (numbers === 'decimal' && this.scope.coefficient !== undefined && !this.#isFallback) {
      const otherwise = () => this.#fallback(node)
      const text = isChain(node)
        ? emitChain(node, otherwise, this)
        : isBinaryOf('order', node)
          ? emitOrderOfChains(node, otherwise, this)
          : undefined
      if (text !== undefined) return text
    }
    const { spine, base } = leftSpine(node, (operator) => !isOperatorOf('logic', operator))
    if (spine.length <= MAX_NESTED) {
      if (!isQuotientComparison(node, numbers)) return emitBinary(node, this.nullish(node.left), this)
      const first = isQuotient(node.left, numbers) ? node.left.left : node.left
      return emitQuotientComparison(node, this.value(first), this)
    }
    return this.withTemporary((t) => {
      const steps = spine.toReversed().flatMap((step, index, all) => {
        const next = all[index + 1]
        // The comparison uses dividend and divisor.
        if (isQuotient(step, numbers) && next !== undefined && isQuotientComparison(next, numbers)) return []
        const isComparison = isQuotientComparison(step, numbers)
        return `${t} = ${isComparison ? emitQuotientComparison(step, t, this) : emitBinary(step, t, this)}`
      })
      return `(${t} = ${this.nullish(base)}, ${steps.join(', ')}, ${t})`
    })
  }

  #call(node: Call): string {
    const { constants, policy, runtime } = this.scope
    const definition = resolveCall(node, policy.numbers)
    if (definition instanceof EvaluationError) return this.#failure(definition)
    const [first, ...others] = node.args
    if (definition.ofQuotient !== undefined && isQuotient(first, policy.numbers)) {
      const rest = others.map((arg) => this.value(arg))
      return emitOfQuotient(constants.add(definition.ofQuotient), node, first, rest, this)
    }
    if (definition.argument === 'path' && first !== undefined && isReference(first)) return emitPresence(first, this)
    if (definition.lazy) return `(${[...node.args.map((arg) => this.#guarded(arg)), 'null'].join(' ?? ')})`
    if (definition.tests === TYPE.null && first !== undefined) return `(${this.#guarded(first)} == null)`
    const args = node.args.map((arg) => {
      if (arg.kind === 'lambda') return this.#lambda(arg)
      return definition.guarded ? `(${this.#guarded(arg)} ?? null)` : this.value(arg)
    })
    return `${constants.add(implementationOf(definition, policy.numbers))}(${[runtime, constants.add(node), ...args].join(', ')})`
  }

  #guarded(node: Expression): string {
    // Guarded at any depth: interpreted alone, a missing reference would be an error in mode `strict`.
    return isReference(node) ? emitGuarded(node, this) : this.value(node)
  }

  /** A closure with its own temporaries; their names may shadow those of the surrounding code, which it never reads. */
  #lambda(node: Lambda): string {
    const parameters = node.parameters.map((name, index) => [name, `$p${this.locals.size + index}`] as const)
    const temporaries: string[] = []
    const temporary = () => `$t${temporaries.push('') - 1}`
    const locals = new Map([...this.locals, ...parameters])
    const body = new Emitter({ ...this.scope, temporary }, locals, this.#depth).value(node.body)
    const names = parameters.map(([, identifier]) => identifier).join(', ')
    const charge = `${this.scope.runtime}.budget.spend(${LAMBDA + sizeOf(node.body)})`
    if (temporaries.length === 0) return `((${names}) => (${charge}, ${body}))`
    return `((${names}) => { let ${temporaries.map((_, index) => `$t${index}`).join(', ')}; ${charge}; return ${body} })`
  }

  #failure(error: EvaluationError): string {
    const { constants } = this.scope
    return `${constants.add(fail)}(${constants.add(error)})`
  }

  /** A call of the interpreter with everything that the expression reads. */
  #interpreted(node: Expression): string {
    const { constants, policy, input, runtime, variable } = this.scope
    const variables = new Set<string>()
    walk(node, (inner) => inner.kind === 'variable' && variables.add(inner.name))
    const names = [...variables]
    const scope: DeepScope = { node, policy, variables: names, locals: [...this.locals.keys()] }
    const values = names.map((name) => variable(name)).join(', ')
    const locals = [...this.locals.values()].join(', ')
    return `${constants.add(interpretDeep)}(${constants.add(scope)}, ${input}, ${runtime}, [${values}], [${locals}])`
  }
}

interface DeepScope {
  readonly node: Expression
  readonly policy: EvaluationPolicy
  readonly variables: readonly string[]
  readonly locals: readonly string[]
}

function interpretDeep(
  scope: DeepScope,
  input: Value,
  runtime: Runtime,
  variableValues: readonly (Value | undefined)[],
  localValues: readonly Value[],
): Value {
  return interpret(scope.node, {
    input,
    runtime,
    policy: scope.policy,
    variables: new Map(scope.variables.map((name, index) => [name, variableValues[index]])),
    locals: new Map(scope.locals.map((name, index) => [name, defined(localValues[index])])),
  })
}

function fail(error: EvaluationError): never {
  throw error
}

/** Whether the emitted code always yields true or false. */
function givesBoolean(node: Expression, { numbers }: EvaluationPolicy): boolean {
  if (node.kind === 'unary') return node.operator === '!'
  if (node.kind === 'binary') return !isBinaryOf('arithmetic', node)
  if (node.kind !== 'call') return false
  const definition = resolveCall(node, numbers)
  return !(definition instanceof EvaluationError) && definition.returns === TYPE.boolean
}
