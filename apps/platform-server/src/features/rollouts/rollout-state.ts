import { stringifyJson, type Value } from '@engine/expression'
import type { Verdict } from '@engine/canary'
import type { Selectable, Updateable } from 'kysely'
import type { Author } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { appendEvent, type ReleaseRow } from '../releases/events.ts'
import type { EventType } from '../webhooks/events.ts'

export type ExecutionRow = Selectable<Tables['release_executions']>

/** A share of the requests of an environment that candidates answer. */
export interface Stage {
  readonly index: number
  readonly percent: number
  /** ISO 8601; by then the stage is decided, or held. */
  readonly ends_at: string
  /** Of the last look that was told; null: of none. */
  readonly verdict: Verdict | null
}

/** What a job has to know of an execution beside its columns. */
export interface Progress {
  /** Digest of the candidate of each ruleset that can have one: the same content under the candidate's name. */
  readonly candidates: Readonly<Record<string, string>>
  /** Ids of environments in front of which it was held. */
  readonly held: readonly string[]
  /** Milliseconds that the stage still had when it was paused. */
  readonly remaining_ms?: number
  /** The stage whose time was found to have run out: the exact test is made once. */
  readonly over?: number
  /** The release that this one rolls back, which ends with it. */
  readonly rolls_back?: string
}

/** An execution under the lock of its organization, in the transaction that takes it further. */
export interface Rollout {
  readonly change: Change
  readonly release: ReleaseRow
  readonly execution: ExecutionRow
  /** Of the database. */
  readonly now: Date
  readonly actor: Author['actor']
  /** Between two heartbeats of an engine. */
  readonly heartbeatMs: number
}

/** What becomes of an execution, beside what was stored already. */
export interface Next {
  readonly columns: Updateable<Tables['release_executions']>
  /** Milliseconds until it is looked at again; undefined: when an operation says so. */
  readonly waitMs: number | undefined
}

/**
 * For which engines keep candidates after their last request was split: replicas remember splits for two seconds, and a request
 * may wait for its body.
 */
export const RETIRE_MS = 5000

/** Written by this feature alone, in this form. */
export const progressOf = ({ progress }: Pick<ExecutionRow, 'progress'>): Progress => progress as unknown as Progress
export const stageOf = ({ stage }: Pick<ExecutionRow, 'stage'>): Stage | null => stage as unknown as Stage | null

export const progressColumn = (progress: Progress) => ({ progress: stringifyJson(progress as unknown as Value) })
export const stageColumn = (stage: Stage | null) => ({
  stage: stage === null ? null : stringifyJson(stage as unknown as Value),
})

/** What is told of an event beside the release. */
interface Telling {
  readonly environment?: string
  readonly serverId?: string
  readonly data?: Readonly<Record<string, Value>>
}

/** Store an event of an execution. */
export async function tell(
  { change, release, execution, actor }: Rollout,
  type: EventType,
  telling: Telling = {},
): Promise<void> {
  await appendEvent(change, release, {
    type,
    actor,
    status: release.status,
    executionId: execution.id,
    ...telling,
  })
}

/** Audit a step that an execution has made by itself. */
export async function auditStep(
  { change, release, execution }: Rollout,
  after: Readonly<Record<string, Value>>,
): Promise<void> {
  const { id, step, environment_id } = execution
  await change.audit({
    action: 'execution.updated',
    object: { id, name: `${release.number} ${release.title}` },
    before: { id, step, environment_id },
    after: { id, ...after },
    projectId: release.project_id,
  })
}
