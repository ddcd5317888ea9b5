import { isChain, scaleOf } from '@engine/expression/core'
import type { Action } from '../model.ts'

/**
 * Maximum number of passes over the values of all variables: each variable that depends on one that is set later needs
 * one.
 */
const MAX_PASSES = 3

/**
 * The scales of the variables that generated code stores as coefficients: those that are set to chains. A variable
 * whose scale grows with each pass, such as one that a loop multiplies, has none. Linear in the size of the values.
 */
export function scalesOf(actions: readonly Action[]): ReadonlyMap<string, number> {
  const all = actions.flatMap((action) => (action.action === 'set_variable' ? [action] : []))
  const computed = new Set(all.filter(({ value }) => isChain(value)).map(({ name }) => name))
  const sets = all.filter(({ name }) => computed.has(name))
  const scales = new Map<string, number>([...computed].map((name) => [name, 0]))
  const held = (variable: string) => scales.get(variable)
  const limit = (name: string) => scales.get(name) ?? -1
  for (let pass = 0; pass < MAX_PASSES; pass++)
    for (const { name, value } of sets) scales.set(name, Math.max(limit(name), scaleOf(value, held) ?? 0))
  for (const { name, value } of sets)
    if (isChain(value) && (scaleOf(value, held) ?? Infinity) > limit(name)) scales.delete(name)
  return scales
}
