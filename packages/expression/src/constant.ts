import type { ArrayLiteral, Expression, ObjectLiteral } from './ast.ts'
import type { Value } from './value.ts'

/** The value of a literal, or of an array or object literal made only of constants; otherwise undefined. */
export function constantOf(expression: Expression): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'array':
    case 'object':
      return containerValue(expression)
    default:
      return undefined
  }
}

/** Cached values of array and object literals, which are needed at every evaluation; null: not constant. */
const containers = new WeakMap<Expression, readonly Value[] | { readonly [key: string]: Value } | null>()

function containerValue(node: ArrayLiteral | ObjectLiteral): Value | undefined {
  const known = containers.get(node)
  if (known !== undefined) return known ?? undefined
  const parts = node.kind === 'array' ? node.items : node.entries.map((entry) => entry.value)
  const values = parts.map(constantOf)
  const constant = values.every((value): value is Value => value !== undefined)
  const value = !constant
    ? null
    : node.kind === 'array'
      ? values
      : Object.fromEntries(node.entries.map(({ key }, index) => [key, values[index] as Value]))
  containers.set(node, value)
  return value ?? undefined
}
