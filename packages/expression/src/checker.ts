import type { Binary, Call, Expression, Field, Lambda, Segment, Unary } from './ast.ts'
import { arityText, bounds } from './calls.ts'
import { Budget } from './budget.ts'
import { constantOf } from './constant.ts'
import { meantFunction } from './functions/foreign-names.ts'
import type { FunctionDefinition } from './functions/definition.ts'
import { FUNCTIONS } from './functions/index.ts'
import { leftSpine, OPERATORS } from './operator-table.ts'
import { problems } from './problems.ts'
import type { Problem, Span } from './source.ts'
import { SYNTAX_LIMITS } from './token.ts'
import { TYPE, type Type, typeOf, typeText } from './types.ts'
import { children } from './visitor.ts'

export interface CheckOptions {
  /**
   * The types of the value that is at a path of the input where it is present; undefined: any. One that may be null has
   * `TYPE.null` in its type: then it may be compared with anything. Paths of lambda parameters are those of items of lists, with
   * the index 0 for each.
   */
  readonly typeAt?: (path: Field['path']) => Type | undefined
  /** Told of each path of the input that is read, those of lambda parameters included. */
  readonly reads?: (path: Field['path'], at: Span) => void
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

/** The types that the value of an expression may have, of fields with the given types. Throws as `check` does. */
export function inferType(expression: Expression, options: CheckOptions = {}): Type {
  return new Checker(options).infer(expression)
}

/** What is known of a lambda parameter. */
interface Local {
  readonly kind: 'item' | 'index' | 'unknown'
  /** Of an item. */
  readonly path?: Field['path']
}

const UNKNOWN: Local = { kind: 'unknown' }

const FIRST: Segment = { kind: 'index', index: 0 }

/** What wildcards of a path find is one flat list. */
function itemPath(path: Field['path']): Field['path'] {
  return path.some(({ kind }) => kind === 'wildcard')
    ? path.map((segment) => (segment.kind === 'wildcard' ? FIRST : segment))
    : [...path, FIRST]
}

class Checker {
  readonly problems: Problem[] = []
  readonly #typeAt: NonNullable<CheckOptions['typeAt']>
  readonly #reads: NonNullable<CheckOptions['reads']>
  /** What is known of the lambda parameters in scope. */
  #locals: ReadonlyMap<string, Local> = new Map()

  readonly #budget: Budget

  readonly #warn: (problem: Problem) => void

  constructor({
    typeAt = () => undefined,
    reads = () => undefined,
    budget = Budget.endless(),
    warn = () => undefined,
  }: CheckOptions) {
    this.#typeAt = typeAt
    this.#reads = reads
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
        return this.#field(node.path, node.span)
      case 'variable':
        return TYPE.any
      case 'local': {
        const { kind, path = [] } = this.#locals.get(node.name) ?? UNKNOWN
        if (kind === 'item') return this.#field([...path, ...node.path], node.span)
        return kind === 'index' && node.path.length === 0 ? TYPE.number : TYPE.any
      }
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
        return this.#lambda(node, undefined)
    }
  }

  #field(path: Field['path'], span: Span): Type {
    this.#reads(path, span)
    return this.#typeAt(path) ?? TYPE.any
  }

  /** @param items path of the items that the first parameter stands for; undefined: it is unknown */
  #lambda({ parameters: [item, index], body }: Lambda, items: Field['path'] | undefined): Type {
    const outer = this.#locals
    const locals = new Map(outer)
    if (item !== undefined) locals.set(item, items === undefined ? UNKNOWN : { kind: 'item', path: items })
    if (index !== undefined) locals.set(index, { kind: 'index' })
    this.#locals = locals
    const found = this.infer(body)
    this.#locals = outer
    return found
  }

  /** The path of the items of a list that is read of the input; undefined: it is something else. */
  #itemsOf(list: Expression | undefined): Field['path'] | undefined {
    const local = list?.kind === 'local' ? this.#locals.get(list.name) : undefined
    if (list?.kind === 'field') return itemPath(list.path)
    return list?.kind === 'local' && local?.kind === 'item'
      ? itemPath([...(local.path ?? []), ...list.path])
      : undefined
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
    // A lambda is called with the items of the list that is the first argument.
    const found = arg.kind === 'lambda' ? this.#lambda(arg, this.#itemsOf(node.args[0])) : this.infer(arg)
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
