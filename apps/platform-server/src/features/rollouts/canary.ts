import { latencyAt, type Verdict, verdictOf } from '@engine/canary'
import type { Value } from '@engine/expression'
import { changeState } from '../releases/state-change.ts'
import type { CanarySettings } from '../projects/model.ts'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import { controlLatencies, stageCounts, stagesOf } from './stage-counts.ts'
import { expectedIn } from './expected-transitions.ts'
import { rollBackBy } from './rollback/start.ts'
import { basisPoints, endOf, hasChanged, isDue, POLL_INTERVAL_MS, remainingMs, ruleOf } from './stage-rules.ts'
import {
  type Next,
  progressColumn,
  progressOf,
  type Rollout,
  type Stage,
  stageColumn,
  stageOf,
  tell,
} from './rollout-state.ts'

/**
 * Length of the measurement in the first stage, when the candidate's code is cold and the control's latencies are
 * measured.
 */
const CALIBRATION_MS = 60_000
const SLOW_QUANTILE = 0.99

/** Begins a stage; the split takes effect as soon as the replicas are notified. */
export async function beginStage(
  rollout: Rollout,
  environment: EnvironmentRow,
  { stages }: CanarySettings,
  index: number,
): Promise<Next> {
  const { change, release, execution, now } = rollout
  const stage = stages[index]
  if (stage === undefined) return { columns: { step: 'full', ...stageColumn(null) }, waitMs: 0 }
  const ends_at = endOf(now, stage)
  const [before] = (await stagesOf(change.scope, execution.id, environment.id)).slice(-1)
  await change.scope
    .update('release_canaries')
    .set({ ended_at: now })
    .where('execution_id', '=', execution.id)
    .where('ended_at', 'is', null)
    .execute()
  await change.scope
    .insert('release_canaries', {
      execution_id: execution.id,
      environment_id: environment.id,
      release_id: release.id,
      stage: index,
      basis_points: basisPoints(stage),
      begun_at: now,
      ends_at,
      control_p99_us: before?.control_p99_us ?? null,
      ended_at: null,
    })
    .execute()
  const shown: Stage = { index, percent: stage.percent, ends_at: ends_at.toISOString(), verdict: null }
  const data = { index, percent: stage.percent, ends_at: shown.ends_at }
  await tell(rollout, 'stage_started', { environment: environment.name, data })
  await change.wake(projectTopic(release.project_id))
  const { remaining_ms: _, over: __, ...progress } = progressOf(execution)
  return { columns: { step: 'canary', ...stageColumn(shown), ...progressColumn(progress) }, waitMs: POLL_INTERVAL_MS }
}

/** Evaluates the answers of both sides, and act on the verdict. */
export async function decideStage(rollout: Rollout, environment: EnvironmentRow): Promise<Next> {
  const { change, execution, now } = rollout
  const stage = stageOf(rollout.execution)
  if (stage === null) throw new Error('there is no stage to decide about')
  await calibrate(rollout, environment)
  const rule = ruleOf(stage, canaryOf(environment), progressOf(execution), now)
  const counts = await stageCounts(change.scope, execution.id, environment.id)
  const progress = progressOf(execution)
  const verdict = verdictOf(counts, rule, expectedIn(progress, environment.id))
  const columns = {
    ...stageColumn({ ...stage, verdict }),
    ...(rule.time === 'over' ? progressColumn({ ...progress, over: stage.index }) : {}),
  }
  switch (verdict.decision) {
    case 'continue':
    case 'hold': {
      const isNew = verdict.decision !== (stage.verdict?.decision ?? 'continue')
      const shouldEmit =
        isNew || (hasChanged(stage.verdict, verdict) && isDue(now, durationOf(environment, stage.index)))
      if (shouldEmit) await tellVerdict(rollout, environment, verdict)
      return { columns: shouldEmit || rule.time === 'over' ? columns : {}, waitMs: POLL_INTERVAL_MS }
    }
    case 'promote':
      await tellVerdict(rollout, environment, verdict)
      await tell(rollout, 'stage_passed', { environment: environment.name, data: { index: stage.index } })
      return beginStage(rollout, environment, canaryOf(environment), stage.index + 1)
    case 'rollback':
      return failStage(rollout, environment, stage, verdict)
  }
}

async function failStage(rollout: Rollout, environment: EnvironmentRow, stage: Stage, verdict: Verdict): Promise<Next> {
  const { change, release, execution, actor } = rollout
  const rolls_back = canaryOf(environment).on_failure === 'rollback'
  const { release: after } = await changeState(change, release, 'fail_stage', {
    actor,
    conditions: { rolls_back },
    executionId: execution.id,
    environment: environment.name,
    data: valueOf(verdict),
  })
  if (rolls_back) return rollBackBy({ ...rollout, release: after }, verdict.reason)
  const remaining_ms = remainingMs(stage, rollout.now)
  return {
    columns: {
      status: 'paused',
      ...stageColumn({ ...stage, verdict }),
      ...progressColumn({ ...progressOf(execution), remaining_ms }),
    },
    waitMs: undefined,
  }
}

const durationOf = (environment: EnvironmentRow, index: number) => canaryOf(environment).stages[index]?.duration_s ?? 0

async function tellVerdict(rollout: Rollout, { name }: EnvironmentRow, verdict: Verdict): Promise<void> {
  await tell(rollout, 'stage_verdict', { environment: name, data: valueOf(verdict) })
}

const valueOf = (verdict: Verdict) => verdict as unknown as Readonly<Record<string, Value>>

/** Fixes the limit of slow answers, once the first minute has measured the control. */
async function calibrate({ change, execution, release, now }: Rollout, { id }: EnvironmentRow): Promise<void> {
  const stages = await stagesOf(change.scope, execution.id, id)
  const open = stages.at(-1)
  if (open === undefined || open.control_p99_us !== null) return
  if (now.getTime() - open.begun_at.getTime() < CALIBRATION_MS) return
  const limit = latencyAt(controlLatencies(open), SLOW_QUANTILE)
  if (limit === undefined) return
  await change.scope
    .update('release_canaries')
    .set({ control_p99_us: Math.round(limit * 1000) })
    .where('execution_id', '=', execution.id)
    .where('environment_id', '=', id)
    .where('stage', '=', open.stage)
    .execute()
  await change.wake(projectTopic(release.project_id))
}
