import type { Span } from './source.ts'
import type { Budget } from './budget.ts'
import type { Value } from './value.ts'

/** What `config` says about the evaluation of expressions: `field_missing` and `defaults`. */
export interface EvaluationPolicy {
  /** A reference to an absent field is, `lenient`: null; `strict`: an error that names the path; `default`: `defaults`, else null. */
  readonly mode: 'lenient' | 'strict' | 'default'
  /** Canonical path text to value; read only in mode `default`. */
  readonly defaults: ReadonlyMap<string, Value>
}

export const LENIENT: EvaluationPolicy = { mode: 'lenient', defaults: new Map() }

/** What one execution carries through every expression it evaluates. */
export interface Runtime {
  /** Epoch milliseconds that `now()` answers for the whole execution: given by the caller, so a replay agrees. */
  readonly now: number
  /** What all work of the request is charged to. */
  readonly budget: Budget
}

/** Bounds on one value, so that a doubling loop ends in an error. */
export const LIMITS = {
  /** UTF-16 units of one string, and elements of one list. */
  value: 1024 * 1024,
  /** Members of one object: engines list the keys of larger ones too slowly. */
  members: 100_000,
} as const

/** Evaluation failed: wrong type, division by zero, missing in strict mode, a limit. Has a place in the text. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
  /** Kebab-case identifier from `problems.ts`. */
  readonly code: string
  readonly span: Span
  constructor(code: string, message: string, span: Span) {
    super(message)
    this.code = code
    this.span = span
  }
}
