import type { Expression } from './ast.ts'
import { defined } from './defined.ts'
import { leftSpine } from './operator-table.ts'

type NodeOf<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>

/** How children are stored under a key: one, a list of them, or a list of entries with one each. */
interface Shapes {
  readonly one: Expression
  readonly list: readonly Expression[]
  readonly entries: readonly { readonly value: Expression }[]
}

type ShapeOf<Held> = { [Shape in keyof Shapes]: Held extends Shapes[Shape] ? Shape : never }[keyof Shapes]

/** Every key of a node that holds children, and how. */
type ChildKeys<Node> = {
  readonly [Key in keyof Node as ShapeOf<Node[Key]> extends never ? never : Key]: ShapeOf<Node[Key]>
}

/** The child keys of each kind of node, in text order. Leaving out a kind or key is a compile error. */
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

type Part = { readonly [Shape in keyof Shapes]: { readonly key: string; readonly shape: Shape } }[keyof Shapes]

const PARTS: ReadonlyMap<string, readonly Part[]> = new Map(
  Object.entries(CHILDREN).map(([kind, keys]) => [kind, Object.entries(keys).map(([key, shape]) => ({ key, shape }))]),
)

/** The children under a key. INVARIANT: `CHILDREN` has each key with the shape of its type. */
function partOf<Shape extends keyof Shapes>(
  node: Expression,
  { key }: { readonly key: string; readonly shape: Shape },
): Shapes[Shape] {
  return defined((node as unknown as Partial<Record<string, Shapes[Shape]>>)[key])
}

const NONE: readonly Expression[] = []

/** The direct sub-expressions, in text order. */
export function children(expression: Expression): readonly Expression[] {
  const parts = PARTS.get(expression.kind) ?? []
  const [first] = parts
  if (first === undefined) return NONE
  if (first.shape === 'list' && parts.length === 1) return partOf(expression, first)
  const found: Expression[] = []
  for (const part of parts) addChildren(expression, part, found)
  return found
}

function addChildren(node: Expression, part: Part, found: Expression[]): void {
  if (part.shape === 'one') found.push(partOf(node, part))
  else if (part.shape === 'list') for (const child of partOf(node, part)) found.push(child)
  else for (const { value } of partOf(node, part)) found.push(value)
}

/** Visit an expression and its descendants, parents first, in text order. */
export function walk(expression: Expression, visit: (node: Expression) => void): void {
  const pending = [expression]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    visit(node)
    // Last child first: the stack pops in reverse order.
    const below = children(node)
    for (let index = below.length - 1; index >= 0; index--) pending.push(defined(below[index]))
  }
}

/**
 * A copy with `replace` applied to every node, children first. A node whose children are unchanged is passed to
 * `replace` as it is.
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

/** The same node with the given children, as many as before. */
function withChildren(node: Expression, given: readonly Expression[]): Expression {
  const changed: Record<string, unknown> = {}
  let taken = 0
  for (const part of PARTS.get(node.kind) ?? []) {
    const count = part.shape === 'one' ? 1 : partOf(node, part).length
    const own = given.slice(taken, taken + count)
    taken += count
    if (part.shape === 'one') changed[part.key] = own[0]
    else if (part.shape === 'list') changed[part.key] = own
    else changed[part.key] = partOf(node, part).map((entry, index) => ({ ...entry, value: own[index] }))
  }
  return { ...node, ...changed }
}
