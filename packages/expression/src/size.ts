import type { Expression } from './ast.ts'
import { isDecimal } from './decimal/decimal.ts'
import { FUNCTIONS } from './functions/index.ts'
import { isObject, type Value } from './value.ts'
import { walk } from './visitor.ts'

const sizes = new WeakMap<Expression, number>()

/**
 * Units of work to evaluate an expression once, excluding the charges of operators and functions for the size of their
 * arguments: its nodes, its paths, its long constants, and the fixed costs of its functions. A lambda's body counts
 * once.
 */
export function sizeOf(expression: Expression): number {
  const known = sizes.get(expression)
  if (known !== undefined) return known
  let size = 0
  walk(expression, (node) => {
    size += sizeOfNode(node)
  })
  sizes.set(expression, size)
  return size
}

function sizeOfNode(node: Expression): number {
  switch (node.kind) {
    case 'literal':
      return 1 + sizeOfConstant(node.value)
    case 'field':
    case 'variable':
    case 'local':
    case 'member':
      return 1 + node.path.length
    case 'call':
      return 1 + node.args.length + (FUNCTIONS.get(node.name)?.cost ?? 0)
    default:
      return 1
  }
}

/** A comparison reads a constant at most to its end. */
function sizeOfConstant(value: Value): number {
  if (typeof value === 'string') return value.length >> 3
  if (typeof value === 'bigint' || isDecimal(value)) return 4
  return isObject(value) ? 1 : 0
}
