import type { SyncEvent } from './event.ts'

/** Why an event changed nothing. */
export type SkipReason =
  /** It is this instance's own (specification 6.1 rule 3). */
  | 'echo'
  /** The ruleset was so already (rule 4). */
  | 'already_applied'
  /** A newer change of the same ruleset was applied before, or arrived in the same batch. */
  | 'older'
  /** Its sender does not count its changes, and a writer of this fleet does: it takes such events over, or leaves them. */
  | 'uncounted'
  /** It cannot be read, is not a ruleset, or its signature is invalid. */
  | 'rejected'

/** Why a reader compared everything with the state bucket. */
export type ReconcileReason = 'start' | 'gap' | 'digest'

/** The metrics of sync. Calls return immediately. */
export interface SyncMetrics {
  published(type: SyncEvent['type']): void
  publishFailed(): void
  /** @param seconds since the writer made the change, by both clocks */
  applied(type: SyncEvent['type'], seconds: number): void
  skipped(reason: SkipReason): void
  reconciled(reason: ReconcileReason): void
  reconnected(): void
  /** Another writer has changed something in between. */
  conflict(): void
}
