import type { Binary, Call, Expression, Field, Lambda, Member, Segment, Unary } from './ast.ts'
import { arityText, bounds, functionOf } from './calls.ts'
import { Budget } from './budget.ts'
import { constantOf } from './constant.ts'
import { meantFunction } from './functions/foreign-names.ts'
import type { FunctionDefinition, Parameter } from './function-definition.ts'
import { FUNCTIONS, groupOf } from './functions/index.ts'
import { leftSpine, OPERATORS } from './operator-table.ts'
import { problems } from './problems.ts'
import type { Numbers } from './runtime.ts'
import type { Problem, Span } from './source.ts'
import { SYNTAX_LIMITS } from './token.ts'
import { TYPE, type Type, typeOf, typeText } from './types.ts'
import { children, rewrite } from './visitor.ts'

export interface CheckOptions {
  /**
   * The types of the value at a path of the input, if present; undefined for any type. A nullable value includes
   * `TYPE.null`, which makes it comparable with anything. Paths of lambda parameters are paths of list items, with
   * index 0.
   */
  readonly typeAt?: (path: Field['path']) => Type | undefined
  /** Called for each path of the input that is read, including paths of lambda parameters. */
  readonly reads?: (path: Field['path'], at: Span) => void
  /**
   * Called for code that fails whenever it is reached but may never be reached: a division by the constant 0, or `sum`
   * of a list of texts, which succeeds when the list is empty.
   */
  readonly warn?: (problem: Problem) => void
  /** The kind of numbers. Default `double`. */
  readonly numbers?: Numbers
  /**
   * Called with each problem that rejects only new expressions: the expression was stored by this or an earlier
   * version. Undefined for a new expression.
   */
  readonly tolerate?: (problem: Problem) => void
  /** Charged for checking, which compiles patterns. Default: unlimited. An exhausted budget throws `BudgetError`. */
  readonly budget?: Budget
}

/**
 * Report errors in an expression that do not depend on its input: unknown functions, wrong numbers of arguments,
 * operands and arguments that can only have a wrong type, invalid literals for patterns and dates. Never reports a part
 * that could succeed for some input whose fields have the given types. With one exception that does not always fail: a
 * test such as `starts_with(a, 5)`, which is false when `a` is null and fails otherwise. Returns the first 1,000
 * problems.
 */
export function check(expression: Expression, options: CheckOptions = {}): readonly Problem[] {
  const found = problemsOf(expression, options, CURRENT_RULES)
  const { tolerate } = options
  if (tolerate === undefined || found.length === 0) return found
  const { typeAt } = options
  const refused = problemsOf(expression, typeAt === undefined ? {} : { typeAt }, BEFORE)
  if (refused.length === 0) for (const problem of found) tolerate(problem)
  return refused
}

function problemsOf(expression: Expression, options: CheckOptions, strictness: Strictness): readonly Problem[] {
  const checker = new Checker(options, strictness)
  checker.infer(expression)
  return checker.problems
}

/** The types that the value of an expression may have, given the types of the fields. Throws as `check` does. */
export function inferType(expression: Expression, options: CheckOptions = {}): Type {
  return new Checker(options, CURRENT_RULES).infer(expression)
}

/** The rules of one version of the check. */
interface Strictness {
  /**
   * Whether it checks the types of elements of lists other than inputs, and whether several arguments have the same
   * type.
   */
  readonly elements: boolean
  readonly refuses: (parameter: Parameter) => Parameter['refuses']
}

const CURRENT_RULES: Strictness = { elements: true, refuses: ({ refuses }) => refuses }
/** The rules before 0.1.0: any expression that they accepted may be stored. */
const BEFORE: Strictness = { elements: false, refuses: ({ refuses, refusedBefore = refuses }) => refusedBefore }

/** Static knowledge about a lambda parameter. */
type Local = ({ readonly kind: 'item' } & Known) | { readonly kind: 'index' }

/** Static knowledge about a value, or about each element of a list. */
interface Known {
  /** Path in the input; undefined when the value is computed. */
  readonly path: Field['path'] | undefined
  readonly type: Type
}

const UNKNOWN: Known = { path: undefined, type: TYPE.any }

const FIRST: Segment = { kind: 'index', index: 0 }

/** Wildcards of a path produce one flat list. */
function itemPath(path: Field['path']): Field['path'] {
  return path.some(({ kind }) => kind === 'wildcard')
    ? path.map((segment) => (segment.kind === 'wildcard' ? FIRST : segment))
    : [...path, FIRST]
}

class Checker {
  readonly problems: Problem[] = []
  readonly #typeAt: NonNullable<CheckOptions['typeAt']>
  readonly #reads: NonNullable<CheckOptions['reads']>
  /** The lambda parameters in scope. */
  #locals: ReadonlyMap<string, Local> = new Map()
  /** Result types of lambdas that were already checked. */
  readonly #results = new Map<Lambda, Known>()
  /** Paths of computed values, resolved once each. */
  readonly #paths = new Map<Expression, Field['path'] | undefined>()

  readonly #budget: Budget

  readonly #warn: (problem: Problem) => void
  readonly #strictness: Strictness
  readonly #numbers: Numbers

  constructor(
    {
      typeAt = () => undefined,
      reads = () => undefined,
      budget = Budget.endless(),
      warn = () => undefined,
      numbers = 'double',
    }: CheckOptions,
    strictness: Strictness,
  ) {
    this.#strictness = strictness
    this.#typeAt = typeAt
    this.#reads = reads
    this.#budget = budget
    this.#warn = warn
    this.#numbers = numbers
  }

  /** The possible types of the value, if it has one. */
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
        const local = this.#locals.get(node.name)
        const path = this.#pathOf(node)
        if (path !== undefined) return this.#field(path, node.span)
        if (local === undefined || node.path.length > 0) return TYPE.any
        return local.kind === 'index' ? TYPE.number : local.type
      }
      case 'member': {
        this.infer(node.object)
        const path = this.#pathOf(node)
        return path === undefined ? TYPE.any : this.#field(path, node.span)
      }
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
        return this.#lambda(node, UNKNOWN)
    }
  }

  #field(path: Field['path'], span: Span): Type {
    this.#reads(path, span)
    return this.#typeAt(path) ?? TYPE.any
  }

  /** @param element the first parameter's type and path */
  #lambda(node: Lambda, element: Known): Type {
    const { parameters, body } = node
    const [item, index] = parameters
    const outer = this.#locals
    const locals = new Map(outer)
    if (item !== undefined) locals.set(item, { kind: 'item', ...element })
    if (index !== undefined) locals.set(index, { kind: 'index' })
    this.#locals = locals
    const type = this.infer(body)
    this.#results.set(node, { path: this.#pathOf(body), type })
    this.#locals = outer
    return type
  }

  /** The input path of an expression's value when it is not null; undefined: it is computed. */
  #pathOf(node: Expression): Field['path'] | undefined {
    switch (node.kind) {
      case 'field':
        return node.path
      case 'local': {
        const local = this.#locals.get(node.name)
        return local?.kind === 'item' && local.path !== undefined ? [...local.path, ...node.path] : undefined
      }
      case 'member':
      case 'call': {
        if (this.#paths.has(node)) return this.#paths.get(node)
        const path = node.kind === 'member' ? this.#pathOfMember(node) : this.#pathOfCall(node)
        this.#paths.set(node, path)
        return path
      }
      default:
        return undefined
    }
  }

  #pathOfMember({ object, path }: Member): Field['path'] | undefined {
    const base = this.#pathOf(object)
    if (base !== undefined) return [...base, ...path]
    const [first, ...rest] = path
    const element = first?.kind === 'index' ? this.#elementOf(object).path : undefined
    return element && [...element, ...rest]
  }

  #pathOfCall({ name, args: [list] }: Call): Field['path'] | undefined {
    const isElement = functionOf(name, this.#numbers)?.elements === 'one' && list !== undefined
    return isElement ? this.#elementOf(list).path : undefined
  }

  /** The elements of a list whose type was inferred. */
  #elementOf(list: Expression): Known {
    this.#budget.spend(4)
    const path = this.#pathOf(list)
    if (path !== undefined) {
      const element = itemPath(path)
      return { path: element, type: this.#typeAt(element) ?? TYPE.any }
    }
    if (!this.#strictness.elements) return UNKNOWN
    if (list.kind === 'array') {
      const types = list.items.map((item) => (item.kind === 'literal' ? typeOf(item.value) : TYPE.any))
      return types.length === 0 ? UNKNOWN : { path: undefined, type: types.reduce((one, other) => one | other, 0) }
    }
    if (list.kind !== 'call') return UNKNOWN
    const [inner, given] = list.args
    const { elements } = functionOf(list.name, this.#numbers) ?? {}
    if (elements === 'same' && inner !== undefined) return this.#elementOf(inner)
    return elements === 'given' && given?.kind === 'lambda' ? (this.#results.get(given) ?? UNKNOWN) : UNKNOWN
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
    const definition = functionOf(node.name, this.#numbers)
    if (definition === undefined) {
      this.#note(() => unknownFunction(node))
      for (const arg of node.args) this.infer(arg)
      return TYPE.any
    }
    if (!takes(definition, node.args.length))
      this.#note(() => problems.wrongArity(node.span, node.name, arityText(definition), node.args.length))
    const types = node.args.map((arg, index) => this.#argument(definition, node, arg, index))
    if (definition.alike === true && this.#strictness.elements) this.#alike(node, types)
    const [list] = node.args
    const isElement = definition.elements === 'one' && list !== undefined
    return isElement ? this.#elementOf(list).type | TYPE.null : definition.returns
  }

  /** The type of an argument, checked against its parameter. */
  #argument(definition: FunctionDefinition, node: Call, arg: Expression, index: number): Type {
    // A lambda is called with the elements of the first argument's list.
    const found =
      arg.kind === 'lambda'
        ? this.#lambda(arg, node.args[0] === undefined ? UNKNOWN : this.#elementOf(node.args[0]))
        : this.infer(arg)
    const { parameters } = definition
    const parameter = index < parameters.length ? parameters[index] : parameters.findLast(({ variadic }) => variadic)
    if (parameter === undefined) return found
    if ((arg.kind === 'lambda') !== (parameter.lambda === true)) {
      this.#note(() => problems.functionArgument(arg.span, node.name, parameter.name, parameter.lambda === true))
      return found
    }
    const wanted = parameter.type | (definition.returns === TYPE.boolean ? TYPE.null : 0)
    if ((found & wanted) === 0) {
      const [expected, given] = [typeText(parameter.type), typeText(found)]
      // The empty type: its problem was already reported.
      if (parameter.lambda === true && found === 0) return found
      if (parameter.lambda === true)
        this.#warn(problems.lambdaResult(arg.span, node.name, parameter.name, expected, given))
      else this.#note(() => problems.argumentType(arg.span, node.name, parameter.name, expected, given))
    } else if (parameter.elements !== undefined && holdsElements(definition, node)) {
      const { type } = this.#elementOf(arg)
      if ((type & parameter.elements) === 0)
        this.#warn(problems.elementType(arg.span, node.name, typeText(parameter.elements), typeText(type)))
    }
    const pattern = constantOf(arg)
    const refuses = this.#strictness.refuses(parameter)
    const fault = typeof pattern === 'string' ? refuses?.(pattern, this.#budget) : undefined
    if (fault !== undefined) this.#note(() => problems.badArgument(arg.span, node.name, parameter.name, fault))
    return found
  }

  /** Several arguments that must be all numbers or all strings. */
  #alike({ name, args }: Call, types: readonly Type[]): void {
    const last = args.at(-1)
    if (last === undefined || args.length < 2) return
    for (const wanted of [TYPE.number, TYPE.string]) if (types.every((type) => (type & wanted) !== 0)) return
    this.#note(() => problems.unlikeArguments(last.span, name, types.map(typeText)))
  }
}

/** Whether the elements of the first argument are used unchanged. */
function holdsElements({ alike }: FunctionDefinition, { args }: Call): boolean {
  return !args.some(({ kind }) => kind === 'lambda') && (alike !== true || args.length === 1)
}

/** A tolerated expression whose calls have the meaning of the version that stored it. */
export function tolerated(expression: Expression): Expression {
  return rewrite(expression, (node) =>
    node.kind === 'call' && isTolerated(node) ? { ...node, isTolerated: true } : node,
  )
}

function isTolerated({ name, args }: Call): boolean {
  const parameters = FUNCTIONS.get(name)?.parameters ?? []
  return parameters.some(({ refuses, refusedBefore }, index) => {
    const arg = args[index]
    const literal = refusedBefore === undefined || arg === undefined ? undefined : constantOf(arg)
    return typeof literal === 'string' && refuses?.(literal, Budget.endless()) !== undefined
  })
}

function unknownFunction({ name, nameSpan, args }: Call): Problem {
  const only = FUNCTIONS.get(name)?.numbers
  if (only !== undefined) return problems.functionOfNumbers(nameSpan, name, only)
  const group = groupOf(name)
  if (group !== undefined) return problems.functionOfGroup(nameSpan, name, group)
  const meant = meantFunction(name)
  const fits = meant !== undefined && takes(FUNCTIONS.get(meant), args.length)
  return problems.unknownFunction(nameSpan, name, meant, fits)
}

/** Whether a function accepts this number of arguments. */
function takes(definition: FunctionDefinition | undefined, count: number): boolean {
  if (definition === undefined) return false
  const { least, most } = bounds(definition)
  return count >= least && count <= most
}

function isZero(node: Expression): boolean {
  const value = constantOf(node)
  return value === 0
}
