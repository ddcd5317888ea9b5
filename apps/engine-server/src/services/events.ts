import { type Value } from '@engine/expression'
import type { Program, Violation } from '@engine/ruleset'
import type { RecordedExecution } from '../receipts/recording.ts'
import type { Requester } from '../requester.ts'

/**
 * The events of services, for audit, metrics and traces. When the promise of a change resolves, the change is durably
 * in the audit. It rejects with an `EngineError` if the write fails; the write is then retried, so a caller that
 * acknowledges nothing need not wait.
 */
export interface Events {
  /** Called before a change is made. Rejects with an `EngineError` to prevent a change that the audit cannot record. */
  auditable(): Promise<void>
  created(rule: { readonly name: string; readonly version: string }, by?: Requester): Promise<void>
  updated(rule: { readonly name: string; readonly from: string; readonly to: string }, by?: Requester): Promise<void>
  deleted(rule: { readonly name: string; readonly version: string }, by?: Requester): Promise<void>
  rolledBack(rule: RolledBack, by?: Requester): Promise<void>
  /** A ruleset was rejected because of its signature. Returns immediately, like the following methods. */
  signatureRejected(
    rejection: { readonly name: string; readonly origin: string; readonly reason: string },
    by?: Requester,
  ): void
  /** An execution of a stored ruleset ended with a code or an error. */
  executed(execution: Executed, program: Program): void
  /** An input violates a contract with the mode `warn` and is decided nevertheless. */
  contractBroken(ruleset: string, violations: readonly Violation[]): void
  evaluated(seconds: number, outcome: 'success' | 'error'): void
}

interface RolledBack {
  readonly name: string
  readonly from: string
  readonly to: string
  /** Sequence number of the restored version. */
  readonly seq: number
}

interface Executed {
  readonly name: string
  readonly version: string
  readonly seconds: number
  readonly code: string | undefined
  readonly error: string | undefined
  /** Number of violations of a contract that only warns: the input was decided. */
  readonly violations: number
  /** Violations of an enforced contract, if it refused the input. */
  readonly refused?: readonly Violation[] | undefined
  /** Trace id of the request, if it is traced. */
  readonly traceId: string | undefined
  readonly input: Value
  readonly output: Value | undefined
  readonly by?: Requester | undefined
  readonly recorded?: RecordedExecution | undefined
}

/** The percentage of executions that are audited. */
export interface SampleRate {
  get(): number
  /** Resolves to the previous rate when the audit has recorded the change. Rejects with an `EngineError`. */
  set(percent: number, by?: Requester): Promise<number>
}

/** A refused change. */
export interface ChangeRefused {
  readonly method: string
  /** The requested path. */
  readonly path: string
  readonly status: number
  readonly reason: string
  /** The tenant that the request names. */
  readonly tenant: string | undefined
}
