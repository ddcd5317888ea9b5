import type { DraftGraph } from '@engine/authoring'
import type { Value } from '@engine/expression'

/*
 * The content of JSON columns. Only the service that owns a table writes it, in this form. The features have schemas of the
 * same shapes for requests; the compiler compares both where a row becomes a resource.
 */

/** `environments.recording`. */
export interface StoredRecording {
  rate: number
  retention_days: number
  mask: string[]
  answers?: boolean
}

/** `recorded_decisions.calls`. */
export type StoredCall = {
  service: string
  method: string
  parameters: Value
  answer?: Value
  error?: string
}

/** `recorded_decisions.violations`. */
export type StoredViolation = {
  path: string
  code: string
  expected: string
}

/** `environments.canary`. */
export interface StoredCanary {
  stages: { percent: number; duration_s: number; min_requests?: number }[]
  on_failure: 'pause' | 'rollback'
  on_inconclusive: 'hold' | 'promote'
  alpha: number
  canary_target_env_id: string | null
  canary_percentage: number
}

/** `release_policies.freeze_window`. */
export interface StoredFreezeWindow {
  cron: string
  duration: string
  time_zone?: string
}

/** `release_policies.require_coverage`, in percent. */
export interface StoredCoverage {
  branches?: number
  conditions?: number
  boundaries?: number
  mutants?: number
}

/** An input of a sub-rule, which the steps that use it bind. */
export interface StoredBinding {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** `sub_rule_saves.content`. */
export interface StoredSubRule {
  readonly graph: DraftGraph
  readonly bindings: readonly StoredBinding[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
}

/** `release_executions.progress`: the state of an execution in addition to its columns. */
export interface StoredProgress {
  /** Digest of the candidate of each ruleset that can have one: the same content under the candidate's name. */
  readonly candidates: Readonly<Record<string, string>>
  /** Ids of environments before which the execution was held. */
  readonly held: readonly string[]
  /** Milliseconds that the stage still had when it was paused. */
  readonly remaining_ms?: number
  /** The stage whose time has expired: its exact test runs once. */
  readonly over?: number
  /** The release that this rollback reverts, which ends with it. */
  readonly rolls_back?: string
  /** Changes of results that hold no stage. */
  readonly expected?: readonly StoredTransition[]
}

/** A change of result that an impact names. */
export interface StoredTransition {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  /** The largest share of the requests with `from`; absent: any. */
  readonly share?: number
  /** Ids of the environments whose impact names it: it applies to these alone. */
  readonly environments: readonly string[]
}

/** `release_events.actor`. */
export interface StoredActor {
  type: 'user' | 'key' | 'server' | 'system'
  id: string
  name: string
}
