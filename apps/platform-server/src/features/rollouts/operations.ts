import type { Acting } from '../../resources/acting.ts'
import { databaseLater, databaseNow } from '../../database/clock.ts'
import type { Change } from '../../database/database.ts'
import { projectTopic } from '../projects/service.ts'
import type { InProject } from '../projects/project-scope.ts'
import { canaryOf } from '../projects/repository.ts'
import { changeState } from '../releases/state-change.ts'
import { durableGuardsOf } from '../releases/durable-guards.ts'
import type { Viewer } from '../releases/view.ts'
import type { Operation } from '../releases/states.ts'
import { beginStage } from './canary.ts'
import { endEarly, endRolledBack } from './execution-end.ts'
import { environmentsOf } from './target-environments.ts'
import { tellCandidatesBack } from './rollback/servers.ts'
import { lastExecution, rollBack, type RolledBack, stopFor } from './rollback/start.ts'
import { executionBy, releaseBy } from './locked-rows.ts'
import { remainingMs } from './stage-rules.ts'
import { ROLLOUTS_TOPIC } from './execution-start.ts'
import {
  type ExecutionRow,
  type Next,
  progressColumn,
  progressOf,
  type Rollout,
  type Stage,
  stageColumn,
  stageOf,
} from './rollout-state.ts'

/** The author of an operation on a release, and its project. */
export interface Operating {
  readonly acting: Acting<InProject>
  readonly heartbeatIntervalSecs: number
}

/** The viewer for whom a refusal lists the possible operations. */
export const viewerOf = ({ acting: { caller, place } }: Operating): Viewer => ({ caller, member: place.member })

/** Pauses an execution; a stage keeps its split, and its time stops. Throws 409. */
export function pause(operating: Operating, id: string): Promise<ExecutionRow> {
  return operate(operating, id, 'pause', async (rollout, viewer) => {
    const { change, release, execution, actor, now } = rollout
    await changeState(change, release, 'pause', { actor, viewer, executionId: execution.id })
    const stage = stageOf(execution)
    if (stage === null) return { columns: { status: 'paused' }, waitMs: undefined }
    const remaining_ms = remainingMs(stage, now)
    const progress = progressColumn({ ...progressOf(execution), remaining_ms })
    return { columns: { status: 'paused', ...progress }, waitMs: undefined }
  })
}

/** Resumes an execution; a stage continues with its remaining time. Throws 409. */
export function resume(operating: Operating, id: string): Promise<ExecutionRow> {
  return operate(operating, id, 'resume', async (rollout, viewer) => {
    const { change, release, execution, actor, now } = rollout
    await changeState(change, release, 'resume', { actor, viewer, executionId: execution.id })
    const stage = stageOf(execution)
    const { remaining_ms = 0, ...progress } = progressOf(execution)
    if (stage === null) return { columns: { status: 'running', ...progressColumn(progress) }, waitMs: 0 }
    const until = new Date(now.getTime() + remaining_ms)
    await moveEnd(change, execution, stage, until)
    const moved: Stage = { ...stage, ends_at: until.toISOString() }
    return { columns: { status: 'running', ...stageColumn(moved), ...progressColumn(progress) }, waitMs: 0 }
  })
}

async function moveEnd({ scope }: Change, { id }: ExecutionRow, { index }: Stage, ends_at: Date): Promise<void> {
  await scope
    .update('release_canaries')
    .set({ ends_at })
    .where('execution_id', '=', id)
    .where('stage', '=', index)
    .where('ended_at', 'is', null)
    .execute()
}

/** Skips the rest of the current stage, regardless of its verdict. Throws 409 outside of a stage. */
export function promote(operating: Operating, id: string): Promise<ExecutionRow> {
  return operate(operating, id, 'promote', async (rollout, viewer) => {
    const { change, release, execution, actor } = rollout
    const stage = stageOf(execution)
    const environment = (await environmentsOf(change.scope, release.id)).find(
      (one) => one.id === execution.environment_id,
    )
    const { release: after } = await changeState(change, release, 'promote', {
      actor,
      viewer,
      conditions: await durableGuardsOf(change.scope, release),
      executionId: execution.id,
      ...(environment === undefined ? {} : { environment: environment.name }),
      data: { index: stage?.index ?? null },
    })
    if (stage === null || environment === undefined) throw new Error('a stage was passed outside of a canary')
    const next = await beginStage({ ...rollout, release: after }, environment, canaryOf(environment), stage.index + 1)
    return { ...next, columns: { ...next.columns, status: 'running' } }
  })
}

/** Aborts while only canaries have reached engines. Throws 409. */
export function abort(operating: Operating, id: string): Promise<ExecutionRow> {
  return operate(operating, id, 'abort', async (rollout, viewer) => {
    const { change, release, execution, actor } = rollout
    const conditions = await durableGuardsOf(change.scope, release)
    // Its events precede the last one, which ends streams; a refusal rolls them back.
    await tellCandidatesBack(rollout)
    await changeState(change, release, 'abort', { actor, viewer, conditions, executionId: execution.id })
    await endRolledBack(rollout, false, { error: 'the rollback was aborted' })
    return endEarly(rollout, 'cancelled', null)
  })
}

/** Rolls a release back by a new one. Throws 409. */
export async function rollback(operating: Operating, id: string, reason: string | undefined): Promise<RolledBack> {
  const { acting, heartbeatIntervalSecs } = operating
  const { author, place } = acting
  return acting.change(async (change) => {
    const release = await releaseBy(change, id)
    const execution = await lastExecution(change, release)
    const { actor } = author
    const made = await rollBack(change, release, execution, { actor, reason, viewer: viewerOf(operating) })
    if (execution !== undefined) {
      const heartbeatMs = heartbeatIntervalSecs * 1000
      await stopFor({ change, release, execution, now: await timeOf(change, id), actor, heartbeatMs }, reason)
    }
    await change.wake(projectTopic(place.project.id))
    return made
  })
}

/** Changes the execution of a release under the lock that its job also takes, so that neither overtakes the other. */
async function operate(
  operating: Operating,
  id: string,
  operation: Operation,
  work: (rollout: Rollout, viewer: Viewer) => Promise<Next>,
): Promise<ExecutionRow> {
  const { acting, heartbeatIntervalSecs } = operating
  const { author } = acting
  const viewer = viewerOf(operating)
  return acting.change(async (change) => {
    const release = await releaseBy(change, id)
    if (release.execution_id === null) {
      // No state before an execution has such an operation.
      await changeState(change, release, operation, { actor: author.actor, viewer })
      throw new Error(`release ${id} is on its way without an execution`)
    }
    const execution = await executionBy(change, release.execution_id)
    const now = await timeOf(change, id)
    const heartbeatMs = heartbeatIntervalSecs * 1000
    const rollout = { change, release, execution, now, actor: author.actor, heartbeatMs }
    const { columns, waitMs } = await work(rollout, viewer)
    const after = await change.scope
      .update('release_executions')
      .set({ ...columns, next_run_at: waitMs === undefined ? null : databaseLater(waitMs) })
      .where('id', '=', execution.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await change.wake(ROLLOUTS_TOPIC)
    return after
  })
}

/** The time of the database, in the transaction of the change. */
async function timeOf({ scope }: Change, release: string): Promise<Date> {
  const row = await scope
    .read('releases')
    .selectFrom('releases')
    .select(databaseNow.as('now'))
    .where('id', '=', release)
    .executeTakeFirstOrThrow()
  return row.now
}
