import type { Expectation } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'

/** The decision of an execution, or the message of its failure. */
export interface Outcome {
  readonly code: string | null
  readonly message: string | null
  readonly output: Value | null
  readonly error?: string | undefined
}

/** The parts of a decision that a test can expect. */
export const EXPECTED_PARTS = ['code', 'message', 'output'] as const
export type ExpectedPart = (typeof EXPECTED_PARTS)[number]

/** An expectation of the given parts of an outcome; for a failure, of its message. */
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
 * The expectation updated to a new outcome. It expects the same parts as before, and the same output fields unless one
 * is missing. If a decision became a failure or vice versa, it expects the whole outcome.
 */
export function acceptOutcome(old: Expectation, outcome: Outcome): Expectation {
  if (outcome.code === null || old.error !== undefined) return expectationOf(outcome, new Set(EXPECTED_PARTS))
  // The path of the old result may be wrong for the new one.
  const { path: _path, ...rest } = old
  const parts = new Set(EXPECTED_PARTS.filter((part) => old[part] !== undefined))
  const accepted = { ...rest, ...expectationOf(outcome, parts.size === 0 ? new Set(EXPECTED_PARTS) : parts) }
  const output = keptFields(old, outcome.output)
  return output === undefined ? accepted : { ...accepted, output }
}

/** The output fields that the expectation lists. */
function keptFields({ output: old, exact }: Expectation, output: Value | null): Value | undefined {
  if (old === undefined || exact === true || output === null || !isObject(old) || !isObject(output)) return undefined
  const keys = Object.keys(old)
  if (!keys.every((key) => Object.hasOwn(output, key))) return undefined
  return Object.fromEntries(keys.map((key) => [key, output[key] as Value]))
}
