import { changeState } from '../releases/state-change.ts'
import { refuseTaken } from '../releases/live.ts'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'
import { beginStage, decideStage } from './canary.ts'
import { closeSplit, setDesired, makeLive, retireCandidates } from './desired-state.ts'
import { complete, fail } from './execution-end.ts'
import { candidatesIn, environmentsOf, targetsOf } from './target-environments.ts'
import { followServers, observe } from './servers.ts'
import { isBaseLive } from './execution-start.ts'
import {
  auditStep,
  type Next,
  progressColumn,
  progressOf,
  RETIRE_MS,
  type Rollout,
  stageOf,
  tell,
} from './rollout-state.ts'

/** Interval of checks of engines during a delivery. */
const DELIVERY_POLL_INTERVAL_MS = 250
/**
 * Advances an execution by one step. A step is a function of the stored state and the engines' reports, and runs under
 * the lock of the organization: any replica may run it any number of times, and it takes effect once.
 */
export async function advance(rollout: Rollout): Promise<Next> {
  const { execution, change, release } = rollout
  if (execution.ended_at !== null) return retire(rollout)
  const environments = await environmentsOf(change.scope, release.id)
  const environment = environments.find(({ id }) => id === execution.environment_id)
  if (environment === undefined) return fail(rollout, 'an environment of the release is gone')
  switch (execution.step) {
    case 'preflight':
      return preflight(rollout, environment)
    case 'canary':
      return canary(rollout, environment)
    case 'full':
      return full(rollout, environment)
    case 'verify':
      return verify(rollout, environment)
    case 'done':
      return leave(rollout, environment, environments)
  }
}

/** No delay before the next step. */
const NOW = 0

async function preflight(rollout: Rollout, environment: EnvironmentRow): Promise<Next> {
  const { release, execution } = rollout
  const { name, id } = environment
  const progress = progressOf(execution)
  if (environment.hold_before && release.kind === 'release' && !progress.held.includes(id))
    return hold(rollout, environment)
  await tell(rollout, 'environment_started', { environment: name })
  if (!(await isBaseLive(rollout.change.scope, release.id, [id])))
    return fail(rollout, `the live content of \`${name}\` is not the base of the release`)
  const targets = await targetsOf(rollout.change.scope, release.id, id)
  await refuseTaken(
    rollout.change.scope,
    [environment],
    targets.flatMap(({ name: ruleset, digest }) => (digest === null ? [] : [ruleset])),
  )
  const candidates = await candidatesIn(rollout, environment)
  const { bound, canaries } = await followServers(rollout, environment, candidates.length > 0)
  // A rollback serves emergencies: unavailable engines apply it when they return.
  if (bound.followed === 0 && release.kind === 'release')
    return fail(rollout, bound.skipped === 0 ? `no engine serves \`${name}\`` : `no engine of \`${name}\` is healthy`)
  // If the canary engines are skipped, the content would go to all engines untested.
  if (canaries.followed === 0 && canaries.skipped > 0)
    return fail(rollout, `no engine for the canaries of \`${name}\` is healthy`)
  const data = { servers: bound.followed + canaries.followed, skipped: bound.skipped + canaries.skipped }
  await tell(rollout, 'preflight_passed', { environment: name, data })
  if (candidates.length > 0) await setDesired(rollout, environment, candidates)
  const step = candidates.length > 0 ? 'canary' : 'full'
  await auditStep(rollout, { step, environment_id: id })
  return { columns: { step }, waitMs: candidates.length > 0 ? DELIVERY_POLL_INTERVAL_MS : NOW }
}

/** Pauses until a person has checked. */
async function hold(rollout: Rollout, { id, name }: EnvironmentRow): Promise<Next> {
  const { change, release, execution, actor } = rollout
  const progress = progressOf(execution)
  const data = { hold_before: true }
  await changeState(change, release, 'hold', { actor, executionId: execution.id, environment: name, data })
  return {
    columns: { status: 'paused', ...progressColumn({ ...progress, held: [...progress.held, id] }) },
    waitMs: undefined,
  }
}

async function canary(rollout: Rollout, environment: EnvironmentRow): Promise<Next> {
  const observed = await observe(rollout, environment, await candidatesIn(rollout, environment), 'candidates')
  if (observed.kind === 'failed') return fail(rollout, observed.error)
  if (stageOf(rollout.execution) !== null) return decideStage(rollout, environment)
  if (observed.kind === 'waiting') return { columns: {}, waitMs: DELIVERY_POLL_INTERVAL_MS }
  return beginStage(rollout, environment, canaryOf(environment), 0)
}

async function full(rollout: Rollout, environment: EnvironmentRow): Promise<Next> {
  const { change, release } = rollout
  await makeLive(rollout, environment, await targetsOf(change.scope, release.id, environment.id))
  await auditStep(rollout, { step: 'verify', environment_id: environment.id })
  return { columns: { step: 'verify' }, waitMs: DELIVERY_POLL_INTERVAL_MS }
}

async function verify(rollout: Rollout, environment: EnvironmentRow): Promise<Next> {
  const { change, release } = rollout
  const targets = await targetsOf(change.scope, release.id, environment.id)
  const observed = await observe(rollout, environment, targets, 'live')
  if (observed.kind === 'failed') return fail(rollout, observed.error)
  if (observed.kind === 'waiting') return { columns: {}, waitMs: DELIVERY_POLL_INTERVAL_MS }
  const hasCandidates = await isSplit(rollout)
  if (hasCandidates) await closeSplit(rollout)
  return { columns: { step: 'done' }, waitMs: hasCandidates ? RETIRE_MS : NOW }
}

async function isSplit({ change: { scope }, execution }: Rollout): Promise<boolean> {
  const open = await scope
    .read('release_canaries')
    .selectFrom('release_canaries')
    .select('stage')
    .where('execution_id', '=', execution.id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return open !== undefined
}

/** Leaves a completed environment: the execution continues with the next one, or ends. */
async function leave(
  rollout: Rollout,
  environment: EnvironmentRow,
  environments: readonly EnvironmentRow[],
): Promise<Next> {
  await retireCandidates(rollout)
  await tell(rollout, 'environment_completed', { environment: environment.name })
  const next = environments[environments.indexOf(environment) + 1]
  if (next === undefined) return complete(rollout)
  await auditStep(rollout, { step: 'preflight', environment_id: next.id })
  return { columns: { step: 'preflight', environment_id: next.id }, waitMs: NOW }
}

/** Removes candidates after an early end of the execution, which closed its split. */
async function retire(rollout: Rollout): Promise<Next> {
  if (await retireCandidates(rollout)) await auditStep(rollout, { candidates: 'retired' })
  return { columns: {}, waitMs: undefined }
}
