import { defined, isDecimal, isNumber, isObject, quote, stringifyJson, type Value } from '@engine/expression'
import type { Inspection } from '@engine/ruleset'
import type { Expectation } from './case.ts'

/** An unmet expectation. */
export interface CaseFailure {
  readonly kind: 'code' | 'message' | 'output' | 'path' | 'error' | 'contract'
  readonly message: string
}

/** Levels of values that are compared: the depth limit of documents. */
const MAX_DEPTH = 128

/**
 * The unmet expectations of an execution.
 *
 * @param path ids of the entered steps, as in the draft
 */
export function differences(
  expect: Expectation,
  { result, error }: Inspection,
  path: readonly string[],
): readonly CaseFailure[] {
  const onPath = pathDifference(expect, path)
  if (error !== undefined) {
    if (expect.error !== undefined && error.message.includes(expect.error)) return onPath
    const wanted = expect.error === undefined ? '' : `; expected a failure with ${quote(expect.error)}`
    return [{ kind: 'error', message: `it failed: ${error.message}${wanted}` }, ...onPath]
  }
  if (expect.error !== undefined) {
    const message = `expected a failure with ${quote(expect.error)}, found ${shown(result?.code)}`
    return [{ kind: 'error', message }, ...onPath]
  }
  const texts = (['code', 'message'] as const).flatMap((kind): CaseFailure[] =>
    expect[kind] === undefined || expect[kind] === result?.[kind]
      ? []
      : [{ kind, message: `${kind}: expected ${shown(expect[kind])}, found ${shown(result?.[kind])}` }],
  )
  return [...texts, ...outputDifference(expect, result?.output), ...onPath]
}

function outputDifference(expect: Expectation, found: Value | undefined): readonly CaseFailure[] {
  const { output: wanted, exact = false, tolerance = 0 } = expect
  if (wanted === undefined) return []
  const isSame =
    exact || !isObject(wanted) || found === undefined || !isObject(found)
      ? found !== undefined && isClose(wanted, found, tolerance)
      : Object.entries(wanted).every(
          ([key, value]) => Object.hasOwn(found, key) && isClose(value, defined(found[key]), tolerance),
        )
  if (isSame) return []
  return [{ kind: 'output', message: `output: expected ${shown(wanted)}, found ${shown(found)}` }]
}

function pathDifference({ path: wanted }: Expectation, found: readonly string[]): readonly CaseFailure[] {
  if (wanted === undefined || (wanted.length === found.length && wanted.every((id, index) => id === found[index])))
    return []
  return [{ kind: 'path', message: `path: expected ${wanted.join(' -> ')}, found ${found.join(' -> ')}` }]
}

/** The members of an object, or the items of a list. */
interface Members {
  readonly [key: string]: Value
}

/** Deep equality with a tolerance for numbers. Linear in the size of the smaller value. */
function isClose(wanted: Value, found: Value, tolerance: number, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false
  if (isNumber(wanted) && isNumber(found)) {
    // Integers of any size, and decimals, are compared exactly.
    const isSame = isDecimal(wanted) || isDecimal(found) ? String(wanted) === String(found) : wanted == found
    return isSame || (tolerance > 0 && Math.abs(Number(wanted) - Number(found)) <= tolerance)
  }
  if (typeof wanted !== 'object' || typeof found !== 'object' || wanted === null || found === null)
    return wanted === found
  if (Array.isArray(wanted) !== Array.isArray(found)) return false
  const [one, other] = [wanted, found] as readonly [Members, Members]
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every(
    (key) => Object.hasOwn(other, key) && isClose(defined(one[key]), defined(other[key]), tolerance, depth + 1),
  )
}

function shown(value: Value | undefined): string {
  return value === undefined ? 'nothing' : stringifyJson(value)
}
