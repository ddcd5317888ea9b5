import type { DecisionReceipt, ErrorDetail } from '@engine/api'

/**
 * Why a call failed.
 *
 * `invalid`: the request is invalid. `unauthorized`, `forbidden`: the token or the tenant. `not-found`: no such
 * ruleset. `execution`: the rules failed. `too-many-requests`: rate limited. `timeout`: no answer in time.
 * `unavailable`: the engine cannot be reached, or is shutting down. `server`: the engine failed. `closed`: the client
 * was closed.
 */
export type ClientErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'execution'
  | 'too-many-requests'
  | 'timeout'
  | 'unavailable'
  | 'server'
  | 'closed'

/**
 * Describes if a call may be retried. `safe`: it certainly did not run. `ambiguous`: it may have run, and rules may
 * have made external calls. `never`: it would fail again.
 */
export type Repeatable = 'safe' | 'ambiguous' | 'never'

/** A call failed. The message is that of the engine, or describes the network error. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly kind: ClientErrorKind
  readonly repeatable: Repeatable
  /** The HTTP status. */
  readonly status: number | undefined
  /** Every fault of the request, with its location. */
  readonly details: readonly ErrorDetail[]
  /** When to retry, according to the engine. */
  readonly retryAfterMs: number | undefined
  /** The receipt of a failed execution, if requested. */
  readonly receipt: DecisionReceipt | undefined
  constructor(
    kind: ClientErrorKind,
    message: string,
    options: {
      readonly repeatable?: Repeatable
      readonly status?: number | undefined
      readonly details?: readonly ErrorDetail[] | undefined
      readonly retryAfterMs?: number | undefined
      readonly receipt?: DecisionReceipt | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.repeatable = options.repeatable ?? 'never'
    this.status = options.status
    this.details = options.details ?? []
    this.retryAfterMs = options.retryAfterMs
    this.receipt = options.receipt
  }
}
