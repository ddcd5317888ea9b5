import type { Expression } from './ast.ts'
import { leftSpine } from './operator-table.ts'

type NodeOf<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>

/** How children stand under a key: one, a list of them, or a list of entries with one each. */
interface Shapes {
  readonly one: Expression
  readonly list: readonly Expression[]
  readonly entries: readonly { readonly value: Expression }[]
}

type ShapeOf<Held> = { [Shape in keyof Shapes]: Held extends Shapes[Shape] ? Shape : never }[keyof Shapes]

/** Every key of a node that leads to children, and how. */
type ChildKeys<Node> = {
  readonly [Key in keyof Node as ShapeOf<Node[Key]> extends never ? never : Key]: ShapeOf<Node[Key]>
}

/** Where each kind of node has its children, in the order of their text. A kind or key that is left out does not compile. */
const CHILDREN: { readonly [Kind in Expression['kind']]: ChildKeys<NodeOf<Kind>> } = {
  literal: {},
  field: {},
  variable: {},
  local: {},
  member: { object: 'one' },
  array: { items: 'list' },
  object: { entries: 'entries' },
  unary: { operand: 'one' },
  binary: { left: 'one', right: 'one' },
  conditional: { condition: 'one', consequent: 'one', alternate: 'one' },
  call: { args: 'list' },
  lambda: { body: 'one' },
}

type Part = { [Shape in keyof Shapes]: readonly [key: string, shape: Shape] }[keyof Shapes]

const PARTS = Object.fromEntries(
  Object.entries(CHILDREN).map(([kind, keys]) => [kind, Object.entries(keys)]),
) as unknown as Readonly<Record<Expression['kind'], readonly Part[]>>

const partOf = (node: Expression, key: string): unknown => (node as unknown as Readonly<Record<string, unknown>>)[key]

const entriesOf = (node: Expression, key: string): Shapes['entries'] => partOf(node, key) as Shapes['entries']

const NONE: readonly Expression[] = []

/** The direct sub-expressions, in the order of their text. */
export function children(expression: Expression): readonly Expression[] {
  const parts = PARTS[expression.kind]
  const [first] = parts
  if (first === undefined) return NONE
  if (parts.length === 1) return childrenAt(expression, first)
  const found: Expression[] = []
  for (const part of parts) found.push(...childrenAt(expression, part))
  return found
}

function childrenAt(node: Expression, [key, shape]: Part): readonly Expression[] {
  if (shape === 'one') return [partOf(node, key) as Shapes['one']]
  return shape === 'list' ? (partOf(node, key) as Shapes['list']) : entriesOf(node, key).map(({ value }) => value)
}

/** Visit an expression and all within it, parents first, in the order of the text. */
export function walk(expression: Expression, visit: (node: Expression) => void): void {
  const pending = [expression]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    visit(node)
    const inner = children(node)
    for (let index = inner.length - 1; index >= 0; index--) pending.push(inner[index] as Expression)
  }
}

/**
 * A copy in which `replace` has been applied to every node, children first. A node whose children did not change is
 * given to `replace` as it is.
 */
export function rewrite(expression: Expression, replace: (node: Expression) => Expression): Expression {
  const { spine, base } = leftSpine(expression)
  let result = replace(rewriteChildren(base, replace))
  for (const node of spine.toReversed()) {
    const right = rewrite(node.right, replace)
    result = replace(result === node.left && right === node.right ? node : { ...node, left: result, right })
  }
  return result
}

function rewriteChildren(node: Expression, replace: (node: Expression) => Expression): Expression {
  const before = children(node)
  const after = before.map((child) => rewrite(child, replace))
  return after.every((child, index) => child === before[index]) ? node : withChildren(node, after)
}

/** The same node with other children, as many as it has. */
function withChildren(node: Expression, given: readonly Expression[]): Expression {
  const changed: Record<string, unknown> = {}
  let taken = 0
  for (const part of PARTS[node.kind]) {
    const [key, shape] = part
    const own = given.slice(taken, (taken += childrenAt(node, part).length))
    if (shape === 'one') changed[key] = own[0]
    else if (shape === 'list') changed[key] = own
    else changed[key] = entriesOf(node, key).map((entry, index) => ({ ...entry, value: own[index] }))
  }
  return { ...node, ...changed }
}
