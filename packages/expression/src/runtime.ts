import type { Span } from './source.ts'
import type { Budget } from './budget.ts'
import type { Value } from './value.ts'

/** The kind of numbers of a ruleset: `config.numbers` (docs/numbers.md). */
export type Numbers = 'double' | 'decimal'

/**
 * The parsing of numbers in a text. `exact`: integers as with `double`, fractions as with `decimal`, which keeps the
 * digits that a ruleset of either kind needs.
 */
export type NumberReading = Numbers | 'exact'

/** The settings of `config` for the evaluation of expressions: `field_missing`, `defaults` and `numbers`. */
export interface EvaluationPolicy {
  /**
   * The value of a reference to an absent field: with `lenient`, null; with `strict`, an error that names the path;
   * with `default`, its entry in `defaults`, otherwise null.
   */
  readonly mode: 'lenient' | 'strict' | 'default'
  /** Canonical path text to value; read only in mode `default`. */
  readonly defaults: ReadonlyMap<string, Value>
  readonly numbers: Numbers
}

export const LENIENT: EvaluationPolicy = { mode: 'lenient', defaults: new Map(), numbers: 'double' }

/** The state of one execution that all its expressions share. */
export interface Runtime {
  /**
   * The time that `now()` returns during the whole execution, in epoch milliseconds: set by the caller, so a replay
   * gives the same result.
   */
  readonly now: number
  /** Charged for all work of the request. */
  readonly budget: Budget
}

/** Size limits of one value, so that a loop of doublings fails. */
export const LIMITS = {
  /** UTF-16 units of one string, and elements of one list. */
  value: 1024 * 1024,
  /** Members of one object: V8 lists the keys of larger ones too slowly. */
  members: 100_000,
} as const

/** Evaluation failed: wrong type, division by zero, missing in strict mode, a limit. Has a position in the text. */
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
