import type { Value } from '@engine/expression/core'

/** One outbound call of a rule (specification 2.8). */
export interface CapabilityRequest {
  readonly capability: string
  readonly operation: string
  readonly payload: { readonly [key: string]: Value }
  /** The calling ruleset and step. */
  readonly ruleset: string
  readonly step: string
  /** The `ExecuteOptions.context` of the execution; the host and the provider define its meaning. */
  readonly context: unknown
  /** Whether the decision waits for the answer and may depend on it. */
  readonly isAwaited: boolean
  /** Milliseconds that the caller is willing to wait. */
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignalLike
}

/** The part of `AbortSignal` that providers need; declared here because this package depends on no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export interface CapabilityResponse {
  readonly payload: Value
  readonly metadata: { readonly [key: string]: Value }
}

/** A named outbound ability that a host program offers to rules, for example `network.http`. */
export interface CapabilityProvider {
  readonly name: string
  /** The supported operations; with `ANY_OPERATION` all of them, for example in a stand-in for another provider. */
  readonly operations: readonly string[]
  /** Payload members that every call needs; storing a ruleset that omits one gives a warning. */
  readonly required?: readonly string[]
  /**
   * Throws an `Error` for an invalid request that would fail every time: it fails the execution even when nothing waits
   * for the answer. Rejects when the external service fails. Both messages are for the rule's author.
   */
  call(request: CapabilityRequest): Promise<CapabilityResponse>
  /**
   * Replaces `call` for awaited calls with a known answer, so that the execution does not wait. Throws an `Error` if
   * the external service fails. Returns undefined for an unknown answer; `call` is then used.
   */
  callSync?(request: CapabilityRequest): CapabilityResponse | undefined
}
