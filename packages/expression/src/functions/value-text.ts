import type { Call } from '../ast.ts'
import { failures as common } from '../failures.ts'
import { stringifyJson } from '../json/json.ts'
import { measureJson } from '../json/size.ts'
import { LIMITS, type Runtime } from '../runtime.ts'
import { VALUE_DEPTH, type Value } from '../value.ts'
import { failures } from './failures.ts'

/** A value as text: a string as it is, everything else as compact JSON. */
export function printed(runtime: Runtime, node: Call, value: Value): string {
  return typeof value === 'string' ? value : json(runtime, node, value)
}

/**
 * A value as compact JSON text, rejected before anything is built when it is nested too deeply or would be too long.
 */
export function json(runtime: Runtime, node: Call, value: Value): string {
  const size = measureJson(runtime.budget, value, LIMITS.value)
  if (size === undefined) throw failures.nestedTooDeeply(node, VALUE_DEPTH)
  if (size > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
  const text = stringifyJson(value)
  if (text.length > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
  return text
}
