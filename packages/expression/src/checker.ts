import type { Binary, Call, Expression, Unary } from './ast.ts'
import { arityText, bounds } from './calls.ts'
import { Budget } from './budget.ts'
import { constantOf } from './constant.ts'
import { meantFunction } from './functions/foreign-names.ts'
import type { FunctionDefinition } from './functions/definition.ts'
import { FUNCTIONS } from './functions/index.ts'
import { leftSpine, OPERATORS } from './operator-table.ts'
import { problems } from './problems.ts'
import { printPath } from './printer.ts'
import type { Problem } from './source.ts'
import { SYNTAX_LIMITS } from './token.ts'
import { TYPE, type Type, typeOf, typeText } from './types.ts'
import { children } from './visitor.ts'

export interface CheckOptions {
  /**
   * Types of the values that input fields have where they are present, by canonical path. A field that may be null has
   * `TYPE.null` in its type: then it may be compared with anything. A field that is not named may be anything.
   */
  readonly fields?: ReadonlyMap<string, Type>
  /** Told of what fails whenever it is reached but may never be reached: a division by the constant 0. */
  readonly warn?: (problem: Problem) => void
  /** Checking charges it: patterns are compiled. Default: one without end. Throws `BudgetError` when it is spent. */
  readonly budget?: Budget
}

/**
 * What cannot be right about an expression, whatever its input: functions that do not exist, wrong numbers of arguments,
 * operands and arguments that can only be of a wrong type, literals that cannot work as the pattern or date they stand
 * for. Never complains of a part that could succeed for some input whose fields have the given types. One thing is
 * refused that does not always fail: a test such as `starts_with(a, 5)`, which is false when `a` is null and else fails.
 * Tells the first 1,000 problems.
 */
export function check(expression: Expression, options: CheckOptions = {}): readonly Problem[] {
  const checker = new Checker(options)
  checker.infer(expression)
  return checker.problems
}

class Checker {
  readonly problems: Problem[] = []
  readonly #fields: ReadonlyMap<string, Type>

  readonly #budget: Budget

  readonly #warn: (problem: Problem) => void

  constructor({ fields = new Map(), budget = Budget.endless(), warn = () => undefined }: CheckOptions) {
    this.#fields = fields
    this.#budget = budget
    this.#warn = warn
  }

  /** What the value may be, when there is one. */
  infer(node: Expression): Type {
    this.#budget.spend(4)
    switch (node.kind) {
      case 'literal':
        return typeOf(node.value)
      case 'field':
        return this.#fields.get(printPath(node)) ?? TYPE.any
      case 'variable':
      case 'local':
        return TYPE.any
      case 'member':
        this.infer(node.object)
        return TYPE.any
      case 'array':
      case 'object':
        for (const child of children(node)) this.infer(child)
        return node.kind === 'array' ? TYPE.array : TYPE.object
      case 'unary':
        return this.#unary(node)
      case 'binary':
        return this.#chain(node)
      case 'conditional':
        this.infer(node.condition)
        return this.infer(node.consequent) | this.infer(node.alternate)
      case 'call':
        return this.#call(node)
      case 'lambda':
        return this.infer(node.body)
    }
  }

  #note(problem: () => Problem): void {
    if (this.problems.length < SYNTAX_LIMITS.problems) this.problems.push(problem())
  }

  #unary(node: Unary): Type {
    const operand = this.infer(node.operand)
    if (node.operator === '!') return TYPE.boolean
    if ((operand & TYPE.number) === 0)
      this.#note(() => problems.operandType(node.span, node.operator, typeText(operand)))
    return TYPE.number
  }

  #chain(node: Binary): Type {
    const { spine, base } = leftSpine(node)
    return spine.reduceRight((left, step) => this.#binary(step, left, this.infer(step.right)), this.infer(base))
  }

  #binary(node: Binary, left: Type, right: Type): Type {
    const rule = OPERATORS[node.operator]
    if (!rule.accepts(left, right))
      this.#note(() => problems.operandTypes(node.operatorSpan, node.operator, typeText(left), typeText(right)))
    else if (rule.divides === true && isZero(node.right)) this.#warn(problems.divisionByZero(node.right.span))
    return rule.gives(left, right)
  }

  #call(node: Call): Type {
    const definition = FUNCTIONS.get(node.name)
    if (definition === undefined) {
      this.#note(() => unknownFunction(node))
      for (const arg of node.args) this.infer(arg)
      return TYPE.any
    }
    if (!takes(definition, node.args.length))
      this.#note(() => problems.wrongArity(node.span, node.name, arityText(definition), node.args.length))
    for (const [index, arg] of node.args.entries()) this.#argument(definition, node, arg, index)
    return definition.returns
  }

  #argument(definition: FunctionDefinition, node: Call, arg: Expression, index: number): void {
    const found = this.infer(arg)
    const { parameters } = definition
    const parameter = index < parameters.length ? parameters[index] : parameters.findLast(({ variadic }) => variadic)
    if (parameter === undefined) return
    if ((arg.kind === 'lambda') !== (parameter.lambda === true)) {
      this.#note(() => problems.functionArgument(arg.span, node.name, parameter.name, parameter.lambda === true))
      return
    }
    const wanted = parameter.type | (definition.returns === TYPE.boolean ? TYPE.null : 0)
    if (parameter.lambda !== true && (found & wanted) === 0)
      this.#note(() =>
        problems.argumentType(arg.span, node.name, parameter.name, typeText(parameter.type), typeText(found)),
      )
    const pattern = constantOf(arg)
    const fault = typeof pattern === 'string' ? parameter.refuses?.(pattern, this.#budget) : undefined
    if (fault !== undefined) this.#note(() => problems.badArgument(arg.span, node.name, parameter.name, fault))
  }
}

function unknownFunction({ name, nameSpan, args }: Call): Problem {
  const meant = meantFunction(name)
  const fits = meant !== undefined && takes(FUNCTIONS.get(meant), args.length)
  return problems.unknownFunction(nameSpan, name, meant, fits)
}

/** Whether a function takes so many arguments. */
function takes(definition: FunctionDefinition | undefined, count: number): boolean {
  if (definition === undefined) return false
  const { least, most } = bounds(definition)
  return count >= least && count <= most
}

function isZero(node: Expression): boolean {
  const value = constantOf(node)
  return value === 0
}
