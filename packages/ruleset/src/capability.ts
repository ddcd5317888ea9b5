import type { Value } from '@engine/expression'

/** One outbound call of a rule (specification 2.8). */
export interface CapabilityRequest {
  readonly capability: string
  readonly operation: string
  readonly payload: { readonly [key: string]: Value }
  /** The ruleset and the step that ask. */
  readonly ruleset: string
  readonly step: string
  /** The `ExecuteOptions.context` of the execution: its meaning is up to the host and the provider. */
  readonly context: unknown
  /** Milliseconds the caller is willing to wait. */
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignalLike
}

/** The part of `AbortSignal` that providers need; declared here because this package knows no platform. */
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
  /** Those that it has; `ANY_OPERATION` among them: whatever is asked, for example of one that stands in for others. */
  readonly operations: readonly string[]
  /** Members of the payload without which no call makes sense; a ruleset that leaves one out is warned about when stored. */
  readonly required?: readonly string[]
  /**
   * Throws an `Error` when the request itself is wrong, so that it would fail whenever it is made: such a call fails its
   * execution also where nothing waits for the answer. Rejects when the outside fails. Both messages are for the rule's author.
   */
  call(request: CapabilityRequest): Promise<CapabilityResponse>
}
