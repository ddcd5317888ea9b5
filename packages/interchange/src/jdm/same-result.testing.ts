import { isObject, type Value } from '@engine/expression'
import type { Decided } from '../execute.testing.ts'
import { isAlike as isAlikeValue } from './value-equivalence.testing.ts'

/** The same result, apart from repeated members of the input. */
export function isSameResult(result: Value, decided: Decided, input: { readonly [name: string]: Value }): boolean {
  if (decided.kind === 'failed') return false
  if (Array.isArray(result)) return isAlike(result, decided.output['result'] ?? null)
  if (!isObject(result)) return false
  const keys = new Set([...Object.keys(result), ...Object.keys(decided.output)])
  return [...keys].every((key) =>
    Object.hasOwn(decided.output, key)
      ? isAlike(result[key] ?? null, decided.output[key] ?? null)
      : isAlike(result[key] ?? null, input[key] ?? null),
  )
}

/** Objects with only null members count as absent. */
const isAlike = (left: Value, right: Value): boolean =>
  isAlikeValue(left, right, (one, other) => one === other || (isNothing(one) && isNothing(other)))

/** A member without any set value: `{"o": {"p": null}}` is `{}` in ZEN. */
function isNothing(value: Value): boolean {
  return value === null || (isObject(value) && Object.values(value).every(isNothing))
}
