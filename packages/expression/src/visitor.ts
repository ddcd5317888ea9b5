import type { Expression } from './ast.ts'

/** The direct sub-expressions, in the order of their text. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'field':
    case 'variable':
    case 'local':
      return []
    case 'member':
      return [expression.object]
    case 'array':
      return expression.items
    case 'object':
      return expression.entries.map((entry) => entry.value)
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'conditional':
      return [expression.condition, expression.consequent, expression.alternate]
    case 'call':
      return expression.args
    case 'lambda':
      return [expression.body]
  }
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
  // A chain `a + b + c + …` is as deep as it is long: its left side is walked in a loop.
  const spine: (Expression & { kind: 'binary' })[] = []
  let base = expression
  for (; base.kind === 'binary'; base = base.left) spine.push(base)
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
  if (after.every((child, index) => child === before[index])) return node
  const [first, second, third] = after as [Expression, Expression, Expression]
  switch (node.kind) {
    case 'member':
      return { ...node, object: first }
    case 'array':
      return { ...node, items: after }
    case 'object':
      return { ...node, entries: node.entries.map(({ key }, index) => ({ key, value: after[index] as Expression })) }
    case 'unary':
      return { ...node, operand: first }
    case 'conditional':
      return { ...node, condition: first, consequent: second, alternate: third }
    case 'call':
      return { ...node, args: after }
    case 'lambda':
      return { ...node, body: first }
    default:
      return node
  }
}
