import type { Value } from '@engine/expression'
import { changeState } from '../releases/state-change.ts'
import { closeSplit } from './desired-state.ts'
import { releaseBy } from './locked-rows.ts'
import { tellCandidatesBack, tellServersBack } from './rollback/servers.ts'
import { type Next, progressOf, RETIRE_MS, type Rollout } from './rollout-state.ts'

/** The ways in which an execution can end early. */
type EarlyEnd = 'failed' | 'cancelled'

/** The columns of an execution that ends early, after its split was closed; candidates are removed a moment later. */
export async function endEarly(rollout: Rollout, status: EarlyEnd, error: string | null): Promise<Next> {
  await closeSplit(rollout)
  return { columns: { status, stage: null, error, ended_at: new Date() }, waitMs: RETIRE_MS }
}

/** Delivered contents stay on engines, except candidates: the servers of the execution show which engines have them. */
export async function fail(rollout: Rollout, error: string): Promise<Next> {
  const { change, release, execution, actor } = rollout
  const data = { error }
  await tellCandidatesBack(rollout)
  await changeState(change, release, 'fail', { actor, executionId: execution.id, data })
  await endRolledBack(rollout, false, data)
  return endEarly(rollout, 'failed', error)
}

/** Ends an execution whose release is live in every environment. */
export async function complete(rollout: Rollout): Promise<Next> {
  const { change, release, execution, actor } = rollout
  await changeState(change, release, 'complete', { actor, executionId: execution.id })
  await endRolledBack(rollout, true, {})
  return { columns: { status: 'completed', ended_at: new Date() }, waitMs: undefined }
}

/** The end of a rollback also ends the release that is rolled back. */
export async function endRolledBack(
  rollout: Rollout,
  ended_well: boolean,
  more: Readonly<Record<string, Value>>,
): Promise<void> {
  const { change, execution, release, actor } = rollout
  const { rolls_back: id } = progressOf(execution)
  if (id === undefined) return
  const before = await releaseBy(change, id)
  const data = { rollback_release_id: release.id, ...more }
  if (ended_well) await tellServersBack(rollout, before)
  await changeState(change, before, 'end_rollback', { actor, conditions: { ended_well }, data })
  if (!ended_well || before.execution_id === null) return
  await change.scope
    .update('release_executions')
    .set({ status: 'rolled_back' })
    .where('id', '=', before.execution_id)
    .execute()
}
