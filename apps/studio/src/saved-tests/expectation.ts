import type { Expectation } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'

/** The decision of an execution, or the message of its failure. */
export interface Outcome {
  readonly code: string | null
  readonly message: string | null
  readonly output: Value | null
  readonly error?: string | undefined
}

/** The parts of a decision that a test can hold. */
export const EXPECTED_PARTS = ['code', 'message', 'output'] as const
export type ExpectedPart = (typeof EXPECTED_PARTS)[number]

/** An expectation of the given parts of an outcome; of a failure, its message. */
export function expectationOf(outcome: Outcome, parts: ReadonlySet<ExpectedPart>): Expectation {
  const { code, message, output, error } = outcome
  if (code === null) return { error: error ?? '' }
  return {
    ...(parts.has('code') && { code }),
    ...(parts.has('message') && message !== null && { message }),
    ...(parts.has('output') && output !== null && { output }),
  }
}

/**
 * The expectation with the new outcome: it holds the same parts as before, of the output the same fields unless one is gone.
 * Where a decision became a failure, or the other way round, it holds all of the new outcome.
 */
export function acceptOutcome(old: Expectation, outcome: Outcome): Expectation {
  if (outcome.code === null || old.error !== undefined) return expectationOf(outcome, new Set(EXPECTED_PARTS))
  // The path of the old result may not be that of the new one.
  const { path: _path, ...rest } = old
  const parts = new Set(EXPECTED_PARTS.filter((part) => old[part] !== undefined))
  const accepted = { ...rest, ...expectationOf(outcome, parts.size === 0 ? new Set(EXPECTED_PARTS) : parts) }
  const output = keptFields(old, outcome.output)
  return output === undefined ? accepted : { ...accepted, output }
}

/** The fields of the output that the expectation lists. */
function keptFields({ output: old, exact }: Expectation, output: Value | null): Value | undefined {
  if (old === undefined || exact === true || output === null || !isObject(old) || !isObject(output)) return undefined
  const keys = Object.keys(old)
  if (!keys.every((key) => Object.hasOwn(output, key))) return undefined
  return Object.fromEntries(keys.map((key) => [key, output[key] as Value]))
}
