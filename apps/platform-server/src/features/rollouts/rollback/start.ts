import type { Author } from '../../../database/audit.ts'
import { databaseLater } from '../../../database/clock.ts'
import type { Change } from '../../../database/database.ts'
import { failures } from '../../../errors.ts'
import { changeState } from '../../releases/state-change.ts'
import { appendEvent, type ReleaseRow } from '../../releases/events.ts'
import { durableGuardsOf } from '../../releases/durable-guards.ts'
import type { Viewer } from '../../releases/view.ts'
import { type Back, backsOf } from './targets.ts'
import { endEarly, endRolledBack } from '../execution-end.ts'
import { executionBy } from '../locked-rows.ts'
import { createRollback } from './release.ts'
import { isIdle, startExecution } from '../execution-start.ts'
import type { ExecutionRow, Next, Rollout } from '../rollout-state.ts'

/** A rollback requested by a person or by a failed stage. */
interface Request {
  readonly actor: Author['actor']
  readonly reason: string | undefined
}

/** The release that rolls another one back, and its execution. */
export interface RolledBack {
  readonly release: ReleaseRow
  readonly execution: ExecutionRow
}

/**
 * Rolls a release back by a new one to the previous live contents, in all environments that it has changed. Throws 409
 * `no_baseline` if nothing was live before, `busy` during another release to one of them, `wrong_state`.
 */
export async function rollBack(
  change: Change,
  release: ReleaseRow,
  execution: ExecutionRow | undefined,
  { actor, reason, viewer }: Request & { readonly viewer: Viewer },
): Promise<RolledBack> {
  const backs = await backsOf(change.scope, release, execution)
  const places = backs.map(({ environment }) => environment.id)
  const conditions = await durableGuardsOf(change.scope, release)
  const data = { reason: reason ?? null }
  const { release: after } = await changeState(change, release, 'rollback', { actor, viewer, conditions, data })
  if (!(await isIdle(change.scope, release.id, places)))
    throw failures.conflict('busy', 'another release is on its way in one of the environments')
  return begin(change, after, backs, { actor, reason })
}

/** Rolls a release back after a failed stage, which ends the execution. */
export async function rollBackBy(rollout: Rollout, reason: string): Promise<Next> {
  const { change, release, execution, actor } = rollout
  const backs = await backsOf(change.scope, release, execution)
  const data = { reason }
  await appendEvent(change, release, { type: 'rollback_started', actor, status: release.status, data })
  const next = await endEarly(rollout, 'failed', reason)
  // Otherwise the ended execution would count as busy.
  await change.scope.update('release_executions').set(next.columns).where('id', '=', execution.id).execute()
  await begin(change, release, backs, { actor, reason })
  return next
}

async function begin(
  change: Change,
  release: ReleaseRow,
  backs: readonly Back[],
  { actor, reason }: Request,
): Promise<RolledBack> {
  const made = await createRollback(change, release, backs, {
    actor,
    title: `Rollback of ${release.number}: ${release.title}`.slice(0, 200),
    description: reason ?? '',
  })
  const execution = await startExecution(change, made, {
    actor,
    conditions: APPROVED,
    progress: { candidates: {}, held: [], rolls_back: release.id },
  })
  return { release: { ...made, status: 'executing', execution_id: execution.id }, execution }
}

/** A rollback needs no approval, and no freeze window blocks it. */
const APPROVED = { approvals_stand: true, unfrozen: true, idle: true, base_is_live: true } as const

/** Ends the execution of a release that is rolled back before its completion. */
export async function stopFor(rollout: Rollout, reason: string | undefined): Promise<void> {
  const { change, execution } = rollout
  if (execution.ended_at !== null) return
  const error = reason ?? 'it is rolled back'
  await endRolledBack(rollout, false, { error })
  const { columns, waitMs } = await endEarly(rollout, 'failed', error)
  await change.scope
    .update('release_executions')
    .set({ ...columns, next_run_at: databaseLater(waitMs ?? 0) })
    .where('id', '=', execution.id)
    .execute()
}

/** The last execution of a release; undefined if there was none. */
export async function lastExecution(
  change: Change,
  { execution_id: id }: Pick<ReleaseRow, 'execution_id'>,
): Promise<ExecutionRow | undefined> {
  return id === null ? undefined : executionBy(change, id)
}
