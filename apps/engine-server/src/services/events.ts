import { type Value } from '@engine/expression'
import type { Program, Violation } from '@engine/ruleset'
import type { RecordedExecution } from '../receipts/recording.ts'
import type { Requester } from '../requester.ts'

/**
 * The events of services, for audit, metrics and traces. Changes are in the audit when the promise
 * resolves, also after a power failure. It rejects with an `EngineError` when they could not be written: they are then
 * tried again, so a caller that acknowledges nothing need not wait.
 */
export interface Events {
  /**
   * Called before a change is made. Rejects with an `EngineError` when the audit cannot take it: then it is not made.
   */
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
  /** An execution of a stored ruleset ended: with a code, or with an error. */
  executed(execution: Executed, program: Program): void
  /** An input that breaks a contract with the mode `warn` is decided. */
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
  /** Violations of a contract that only warns: the input was decided. */
  readonly violations: number
  /** The input was refused: the violations of an enforced contract. */
  readonly refused?: readonly Violation[] | undefined
  /** Trace id of the request, if traced. */
  readonly traceId: string | undefined
  readonly input: Value
  readonly output: Value | undefined
  readonly by?: Requester | undefined
  readonly recorded?: RecordedExecution | undefined
}

/** The percentage of executions that are audited. */
export interface SampleRate {
  get(): number
  /** Resolves to the rate before, when the change is in the audit. Rejects with an `EngineError`. */
  set(percent: number, by?: Requester): Promise<number>
}

/** A change that was not made. */
export interface ChangeRefused {
  readonly method: string
  /** The requested path. */
  readonly path: string
  readonly status: number
  readonly reason: string
  /** As the request names it. */
  readonly tenant: string | undefined
}
