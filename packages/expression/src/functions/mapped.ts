import type { Call } from '../ast.ts'
import type { Runtime } from '../runtime.ts'
import { charge, type Value } from '../value.ts'
import { callback, list } from './arguments.ts'
import type { Argument } from './definition.ts'

/**
 * The items of a list that a function is about to visit. Visits are charged like items that are created: nested lambdas
 * over long lists would else run without end.
 */
export function visited(runtime: Runtime, node: Call, argument: Argument): readonly Value[] {
  const items = list(node, 0, argument)
  charge(runtime, node, items.length)
  return items
}

/** What a function gives for each item of a list; the list itself without a function. */
export function mapped(runtime: Runtime, node: Call, argument: Argument, f: Argument): readonly Value[] {
  if (f === undefined) return list(node, 0, argument)
  const apply = callback(f)
  return visited(runtime, node, argument).map((item, index) => apply(item, index))
}
