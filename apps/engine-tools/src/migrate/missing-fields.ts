import {
  type Call,
  children,
  constantOf,
  type Expression,
  type Field,
  fold,
  FUNCTIONS,
  isTrue,
  LENIENT,
  OPERATORS,
  print,
  printPath,
  rewrite,
  TYPE,
} from '@engine/expression'

/** How a missing field changes what an expression comes to here, compared with the origin. */
export type MissingEffect = 'same' | 'silent' | 'fails'

/** The fields that an expression reads outside of `exists` and `coalesce`, by their text. */
export function fieldsRead(expression: Expression): ReadonlyMap<string, Field> {
  const found = new Map<string, Field>()
  const visit = (node: Expression): void => {
    if (node.kind === 'field' && node.path.length > 0) found.set(printPath(node), node)
    if (!isGuard(node)) for (const child of children(node)) visit(child)
  }
  visit(expression)
  return found
}

/** `exists` and `coalesce`: a missing field inside them is not an error in the original service. */
function isGuard(node: Expression): boolean {
  const definition = node.kind === 'call' ? FUNCTIONS.get(node.name) : undefined
  return definition?.argument === 'path' || definition?.lazy === true
}

/**
 * The effect of a missing field on a value: the origin fails. `same`: here it fails too, since null is not an operand.
 */
export function valueWithout(expression: Expression, field: Field): MissingEffect {
  return alwaysFails(without(expression, field)) ? 'same' : 'silent'
}

/** Truth values that are tried; a condition of more parts is taken to differ. */
const MAX_PARTS = 10

/**
 * The effect of a missing field on a condition: at the origin it is false as a whole as soon as the field is read.
 * The condition is divided at `&&`, `||`, `!` and `if`; both meanings are compared for all truth values of the parts. Costs
 * two to the power of `MAX_PARTS`.
 */
export function conditionWithout(condition: Expression, field: Field): MissingEffect {
  const parts = new Parts(field)
  parts.add(condition)
  if (parts.open.length > MAX_PARTS) return 'silent'
  let effect: MissingEffect = 'same'
  for (let bits = 0; bits < 2 ** parts.open.length; bits++) {
    const truths = new Map(parts.open.map((text, index) => [text, ((bits >> index) & 1) === 1]))
    const there = parts.truth(condition, 'there', truths)
    const here = parts.truth(condition, 'here', truths)
    if (here === 'ends') effect = 'fails'
    else if (here !== (there === true)) return 'silent'
  }
  return effect
}

/** A truth value that is known, or the text of an open part that has one; `ends`: its evaluation does not come to a value. */
type Part = boolean | 'ends' | { readonly open: string }

class Parts {
  /** The texts of parts whose truth depends on other fields. */
  readonly open: string[] = []
  readonly #field: Field
  readonly #parts = new Map<Expression, { readonly here: Part; readonly there: Part }>()

  constructor(field: Field) {
    this.#field = field
  }

  add(node: Expression): void {
    const inner = branchesOf(node)
    if (inner !== undefined) {
      for (const child of inner) this.add(child)
      return
    }
    const replaced = without(node, this.#field)
    const here = this.#part(replaced)
    const there = [...fieldsRead(node).values()].some((read) => isWithin(read, this.#field)) ? 'ends' : here
    this.#parts.set(node, { here, there })
  }

  #part(node: Expression): Part {
    const constant = constantOf(node)
    if (constant !== undefined) return isTrue(constant)
    if (alwaysFails(node)) return 'ends'
    const open = print(node)
    if (!this.open.includes(open)) this.open.push(open)
    return { open }
  }

  truth(node: Expression, side: 'here' | 'there', truths: ReadonlyMap<string, boolean>): boolean | 'ends' {
    const of = (child: Expression) => this.truth(child, side, truths)
    if (node.kind === 'unary' && node.operator === '!') {
      const operand = of(node.operand)
      return operand === 'ends' ? operand : !operand
    }
    if (node.kind === 'conditional') {
      const condition = of(node.condition)
      return condition === 'ends' ? condition : of(condition ? node.consequent : node.alternate)
    }
    if (node.kind === 'binary' && OPERATORS[node.operator].kind === 'logic') {
      const left = of(node.left)
      return left === 'ends' || left === OPERATORS[node.operator].decidedBy ? left : of(node.right)
    }
    const part = this.#parts.get(node)?.[side] ?? 'ends'
    return typeof part === 'object' ? truths.get(part.open) === true : part
  }
}

/** The operands of a condition; undefined: it is atomic. */
function branchesOf(node: Expression): readonly Expression[] | undefined {
  const isDivided =
    node.kind === 'conditional' ||
    (node.kind === 'unary' && node.operator === '!') ||
    (node.kind === 'binary' && OPERATORS[node.operator].kind === 'logic')
  return isDivided ? children(node) : undefined
}

/** The expression with a missing field replaced by null, and constants folded. */
function without(expression: Expression, field: Field): Expression {
  const asked = rewrite(expression, (node) => {
    if (node.kind !== 'call' || FUNCTIONS.get(node.name)?.argument !== 'path') return node
    const [path] = node.args
    return path?.kind === 'field' && isWithin(path, field) ? literal(node, false) : node
  })
  const replaced = rewrite(asked, (node) =>
    node.kind === 'field' && isWithin(node, field) ? literal(node, null) : node,
  )
  return fold(replaced, LENIENT)
}

function literal({ span }: Expression, value: null | false): Expression {
  return { kind: 'literal', value, span }
}

/** Whether a path leads to the field, or further into it. */
function isWithin(read: Field, field: Field): boolean {
  const [inner, outer] = [read, field].map(({ path }) => path.map((segment) => JSON.stringify(segment)))
  return outer?.every((segment, index) => inner?.[index] === segment) === true
}

/** Whether the evaluation of a folded expression ends in an error, whatever the other fields are. */
function alwaysFails(node: Expression): boolean {
  switch (node.kind) {
    case 'binary':
      if (OPERATORS[node.operator].kind === 'logic') return alwaysFails(node.left)
      return isNullOperand(node) || children(node).some(alwaysFails)
    case 'unary':
      return (node.operator === '-' && constantOf(node.operand) === null) || alwaysFails(node.operand)
    case 'conditional':
      return alwaysFails(node.condition)
    case 'call':
      return callFails(node)
    case 'lambda':
      return false
    default:
      return children(node).some(alwaysFails)
  }
}

function isNullOperand(node: Expression): boolean {
  if (node.kind !== 'binary' || OPERATORS[node.operator].kind !== 'arithmetic') return false
  return constantOf(node.left) === null || constantOf(node.right) === null
}

/** A call that is left of folding though its arguments are constant, or one that takes no null where it has one. */
function callFails(node: Call): boolean {
  const definition = FUNCTIONS.get(node.name)
  if (definition === undefined || isGuard(node)) return false
  if (node.args.some(alwaysFails)) return true
  // Tests of null are false; those of list items need a list.
  const isTest = definition.returns === TYPE.boolean && !definition.parameters.some(({ lambda }) => lambda === true)
  if (isTest || definition.volatile === true) return false
  return node.args.some((argument, index) => {
    const parameter = definition.parameters[Math.min(index, definition.parameters.length - 1)]
    return constantOf(argument) === null && parameter !== undefined && (parameter.type & TYPE.null) === 0
  })
}
