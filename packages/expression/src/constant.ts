import type { ArrayLiteral, Expression, ObjectLiteral } from './ast.ts'
import type { ObjectValue, Value } from './value.ts'

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
const containers = new WeakMap<Expression, readonly Value[] | ObjectValue | null>()

function containerValue(node: ArrayLiteral | ObjectLiteral): Value | undefined {
  const known = containers.get(node)
  if (known !== undefined) return known ?? undefined
  const value = node.kind === 'array' ? listValue(node) : objectValue(node)
  containers.set(node, value ?? null)
  return value
}

function listValue({ items }: ArrayLiteral): readonly Value[] | undefined {
  const values = items.map(constantOf)
  return values.every((value) => value !== undefined) ? values : undefined
}

function objectValue({ entries }: ObjectLiteral): ObjectValue | undefined {
  const members: [string, Value][] = []
  for (const { key, value } of entries) {
    const constant = constantOf(value)
    if (constant === undefined) return undefined
    members.push([key, constant])
  }
  return Object.fromEntries(members)
}
