import {
  constantOf,
  BudgetError,
  EvaluationError,
  foldingBudget,
  type Expression,
  type Field,
  fold,
  FUNCTIONS,
  interpret,
  type MissingPolicy,
  NO_SPAN,
  parsePath,
  print,
  rewrite,
  type Segment,
  type Value,
  walk,
} from '@engine/expression'

/** What is known of variables at a step: the expression that gives the value, over fields; undefined when nobody knows. */
export type Variables = ReadonlyMap<string, Expression | undefined>

/** What expressions are evaluated with as far as they can be. */
export interface Knowledge {
  readonly input: Value
  readonly policy: MissingPolicy
  /** Epoch milliseconds: what `now()` means in this filter. */
  readonly now: number
}

/** The value at a field's path in what is known; undefined when it is not. A null that is there is known. */
function knownAt(input: Value, path: readonly Segment[]): Value | undefined {
  let value: Value | undefined = path.length === 0 ? undefined : input
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || segment.kind === 'wildcard') return undefined
    if (Array.isArray(value)) {
      if (segment.kind !== 'index') return undefined
      value = value.at(segment.index) as Value | undefined
    } else {
      const key = segment.kind === 'name' ? segment.name : String(segment.index)
      value = Object.hasOwn(value, key) ? (value as { readonly [key: string]: Value })[key] : undefined
    }
    if (value === undefined) return undefined
  }
  return value
}

const literal = (value: Value): Expression => ({ kind: 'literal', value, span: NO_SPAN })

/**
 * The same expression with everything that is known put in and computed: fields of the known input, variables, `now()`.
 * Undefined when it reads a variable of which nothing is known.
 */
export function evaluated(expression: Expression, variables: Variables, knowledge: Knowledge): Expression | undefined {
  let isKnown = true
  // Whether a field exists is asked of the field, before its value stands in its place.
  const asked = rewrite(expression, (node) => presence(node, knowledge))
  const replaced = rewrite(asked, (node) => {
    if (node.kind === 'field') {
      const value = knownAt(knowledge.input, node.path)
      return value === undefined ? node : literal(value)
    }
    if (node.kind === 'variable') {
      if (!variables.has(node.name)) return unset(node, knowledge)
      const value = variables.get(node.name)
      if (value === undefined) isKnown = false
      return value === undefined ? node : inside(value, node.path, knowledge)
    }
    return node.kind === 'call' ? computed(node, knowledge) : node
  })
  return isKnown ? fold(replaced, knowledge.policy) : undefined
}

function presence(node: Expression, { input }: Knowledge): Expression {
  if (node.kind !== 'call' || node.name !== 'exists' || node.args.length !== 1) return node
  const field = pathArgument(node.args[0] as Expression)
  if (field === undefined) return node
  return knownAt(input, field.path) === undefined ? { ...node, args: [field] } : literal(true)
}

/** `exists("a.b")` asks for the path `a.b`. */
function pathArgument(argument: Expression): Field | undefined {
  if (argument.kind === 'field') return argument
  const text = constantOf(argument)
  const parsed = typeof text === 'string' ? parsePath(text) : undefined
  return parsed?.kind === 'parsed' && parsed.expression.kind === 'field' ? parsed.expression : undefined
}

/** A variable that nothing sets is missing, for certain. */
function unset(node: Expression, { policy }: Knowledge): Expression {
  return valueOf(node, policy, 0) ?? node
}

function inside(value: Expression, path: readonly Segment[], { policy }: Knowledge): Expression {
  if (path.length === 0) return value
  if (value.kind === 'field') return { ...value, path: [...value.path, ...path] }
  const member: Expression = { kind: 'member', object: value, path, span: NO_SPAN }
  return constantOf(value) === undefined ? member : (valueOf(member, policy, 0) ?? member)
}

/** A call whose arguments are all constant; `now()` among them. */
function computed(node: Expression & { kind: 'call' }, { policy, now }: Knowledge): Expression {
  if (FUNCTIONS.get(node.name)?.volatile !== true) return node
  if (!node.args.every((argument) => constantOf(argument) !== undefined)) return node
  return valueOf(node, policy, now) ?? node
}

function valueOf(node: Expression, policy: MissingPolicy, now: number): Expression | undefined {
  try {
    const runtime = { now, budget: foldingBudget() }
    return literal(interpret(node, { input: {}, variables: { get: () => undefined }, missing: policy, runtime }))
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
    throw error
  }
}

/** Whether evaluating an expression can fail for some row. */
export function isCertain(expression: Expression): boolean {
  return constantOf(expression) !== undefined || expression.kind === 'field'
}

/** Names of the variables that an expression reads. */
export function variablesIn(expression: Expression, into: Set<string>): void {
  walk(expression, (node) => {
    if (node.kind === 'variable') into.add(node.name)
  })
}

/** The same text for the same knowledge. */
export function variablesKey(variables: Variables): string {
  return [...variables]
    .map(([name, value]) => `${JSON.stringify(name)} ${value === undefined ? '?' : print(value)}`)
    .sort()
    .join('\n')
}
