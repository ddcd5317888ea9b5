import type { SyncEvent } from './event.ts'

/** Why an event was skipped. */
export type SkipReason =
  /** This instance sent it (specification 6.1 rule 3). */
  | 'echo'
  /** The ruleset has this content already (rule 4). */
  | 'already_applied'
  /** A newer change of the same ruleset was applied, or arrived in the same batch. */
  | 'older'
  /** It has no revision, and this fleet has a writer, which adopts or ignores such events. */
  | 'uncounted'
  /** It is unreadable or not a ruleset, or its signature is invalid. */
  | 'rejected'

/** Why a reader reconciled with the state bucket. */
export type ReconcileReason = 'start' | 'gap' | 'digest'

/** The metrics of sync. Calls return immediately. */
export interface SyncMetrics {
  published(type: SyncEvent['type']): void
  publishFailed(): void
  /** @param seconds since the change, by the clocks of both instances */
  applied(type: SyncEvent['type'], seconds: number): void
  skipped(reason: SkipReason): void
  reconciled(reason: ReconcileReason): void
  reconnected(): void
  /** Counts a concurrent change of another writer. */
  conflict(): void
}
