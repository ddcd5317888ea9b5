import type { DecisionReceipt } from '@engine/api'
import type { Value } from '@engine/expression'
import type { Trace, TraceStep } from '@engine/ruleset'

export type { Trace, TraceStep }

/** Specification 2.3. */
export interface Decided {
  readonly code: string
  readonly message: string
  readonly output: { readonly [key: string]: Value }
  readonly duration_us: number
  readonly trace?: Trace
  /** If requested. Verify it with a key from someone you trust. Engines of earlier versions answer without one. */
  readonly receipt?: DecisionReceipt
}

/** The content of a trace: none, the path, or the path with values. */
export type Tracing = false | 'path' | 'values'

/** One result of a batch; a failed one has `error`. */
export type BatchItem =
  | (Decided & { readonly error?: undefined })
  | { readonly error: string; readonly receipt?: DecisionReceipt }

/** The results of a batch in the order of its inputs, and their counts. Specification 2.3. */
export interface BatchAnswer {
  readonly results: readonly BatchItem[]
  readonly summary: { readonly total: number; readonly success: number; readonly failed: number }
}

/** The value of an expression, and its parsed form. */
export interface Evaluated {
  readonly result: Value
  readonly parsed: string
}

/** The filter of a ruleset in SQL. Specification 4.3. */
export interface Filtered {
  /** Null exactly when no row can match. */
  readonly filter: string | null
  readonly params?: readonly Value[]
  readonly never_matches: boolean
  readonly unknown_fields: readonly string[]
  readonly exactness: 'exact' | 'superset' | 'subset' | 'approximate'
  readonly reasons?: readonly string[]
}

/** Metadata of a call. */
export interface Sending {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal
  /** Milliseconds until then. */
  readonly timeoutMs: number
}

/** Optional parts of an answer. */
export interface Wanted {
  readonly tracing: Tracing
  readonly receipt: boolean
}

/** A transport to an engine. Each member rejects with a `ClientError`. */
export interface Transport {
  execute(name: string, input: Value, wanted: Wanted, sending: Sending): Promise<Decided>
  batch(name: string, inputs: readonly Value[], wanted: Pick<Wanted, 'receipt'>, sending: Sending): Promise<BatchAnswer>
  evaluate(expression: string, context: Value, sending: Sending): Promise<Evaluated>
  filter(name: string, request: Value, sending: Sending): Promise<Filtered>
  /** The JSON text of a ruleset. */
  ruleset(name: string, sending: Sending): Promise<string>
  close(): Promise<void>
}
