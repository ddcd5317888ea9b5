import { type StoredProgress } from '../../database/stored-content.ts'
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
  /** ISO 8601; by this time the stage is decided or held. */
  readonly ends_at: string
  /** The last reported verdict; null if there is none. */
  readonly verdict: Verdict | null
}

/** The state of an execution in addition to its columns. */
export type Progress = StoredProgress

/** An execution under the lock of its organization, in the transaction that advances it. */
export interface Rollout {
  readonly change: Change
  readonly release: ReleaseRow
  readonly execution: ExecutionRow
  /** The time of the database. */
  readonly now: Date
  readonly actor: Author['actor']
  /** Interval of heartbeats of an engine, in milliseconds. */
  readonly heartbeatMs: number
}

/** The outcome of a step, in addition to rows that are already stored. */
export interface Next {
  readonly columns: Updateable<Tables['release_executions']>
  /** Milliseconds until the next step; undefined if an operation triggers it. */
  readonly waitMs: number | undefined
}

/**
 * How long engines keep candidates after the last split request: replicas cache splits for two seconds, and a request
 * may wait for its body.
 */
export const RETIRE_MS = 5000

/** Written only by this feature, in this format. */
export const progressOf = ({ progress }: Pick<ExecutionRow, 'progress'>): Progress => progress
export const stageOf = ({ stage }: Pick<ExecutionRow, 'stage'>): Stage | null => stage as unknown as Stage | null

export const progressColumn = (progress: Progress) => ({ progress: stringifyJson(progress) })
export const stageColumn = (stage: Stage | null) => ({
  stage: stage === null ? null : stringifyJson(stage),
})

/** The content of an event, in addition to the release. */
interface Telling {
  readonly environment?: string
  readonly serverId?: string
  readonly data?: Readonly<Record<string, Value>>
}

/** Stores an event of an execution. */
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

/** Audits a step that an execution has made by itself. */
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
