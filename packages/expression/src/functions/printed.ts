import type { Call } from '../ast.ts'
import { stringifyJson } from '../json.ts'
import type { Runtime } from '../runtime.ts'
import { charge, VALUE_DEPTH, type Value } from '../value.ts'
import { failures } from './failures.ts'

/** A value as text: a string as it is, everything else as compact JSON. */
export function printed(runtime: Runtime, node: Call, value: Value): string {
  return typeof value === 'string' ? value : json(runtime, node, value)
}

/** A value as compact JSON text. */
export function json(runtime: Runtime, node: Call, value: Value): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value)
  measure(runtime, node, value)
  const text = stringifyJson(value)
  charge(runtime, node, text.length, 'text')
  return text
}

/** Refuses what is nested too deep to be printed, and what would be too long, before anything is created. */
function measure(runtime: Runtime, node: Call, value: Value): void {
  let size = 0
  const visit = (part: Value, depth: number): void => {
    if (depth > VALUE_DEPTH) throw failures.nestedTooDeeply(node, VALUE_DEPTH)
    size += typeof part === 'string' ? part.length : 1
    charge({ now: runtime.now, allocated: 0 }, node, size, 'text')
    if (typeof part !== 'object' || part === null) return
    for (const [key, inner] of Object.entries(part)) {
      size += Array.isArray(part) ? 0 : key.length
      visit(inner, depth + 1)
    }
  }
  visit(value, 0)
}
