import type { DraftRuleset } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import type { Loss } from './conversion-result.ts'

/** Optional members of a draft that a loss may refer to: of a step, a branch, a row, a column or an assignment. */
const MAY_BE_MISSING: ReadonlySet<string> = new Set(
  'code condition defaultNextStepId field message name nextStepId startStepId value'.split(' '),
)

/** Whether the place of a loss exists in a JSON document, or is a missing member of an existing object. */
export function isPlaceIn(document: DraftRuleset | Value, { path, code }: Loss): boolean {
  if (path === '') return true
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop() ?? ''
  let found: Value | undefined = document
  for (const key of keys) found = memberOf(found, key)
  if (memberOf(found, last) !== undefined) return true
  return isObject(found ?? null) && (code === 'wrong-type' || MAY_BE_MISSING.has(last))
}

function memberOf(value: Value | undefined, key: string): Value | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? (value[Number(key)] as Value | undefined) : undefined
  return isObject(value ?? null) && Object.hasOwn(value as object, key)
    ? (value as { readonly [key: string]: Value })[key]
    : undefined
}

/** Whether a loss in a text has a valid line and characters within it. */
export function isPlaceInText(text: string, { path, line, column, length = 0 }: Loss): boolean {
  if (line === undefined || column === undefined) return path === ''
  const lines = text.split('\n')
  const own = lines[line - 1]
  return own !== undefined && column >= 1 && length >= 0 && column <= own.length + 1
}
