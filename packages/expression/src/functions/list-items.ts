import type { Call } from '../ast.ts'
import { createList } from '../creation.ts'
import type { Runtime } from '../runtime.ts'
import type { Value } from '../value.ts'
import { callback, list } from './arguments.ts'
import type { Argument } from '../function-definition.ts'

/** A function's results for each list item; the list itself when no function is given. */
export function mapped(runtime: Runtime, node: Call, argument: Argument, f: Argument): readonly Value[] {
  const items = list(node, 0, argument)
  if (f === undefined) return items
  createList(runtime, node, items.length)
  return items.map(callback(f))
}
