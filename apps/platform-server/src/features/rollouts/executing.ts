import type { Caller } from '../../access/caller.ts'
import { failures } from '../../errors.ts'
import { holdersIn, meet, stricter } from '../releases/approvals.ts'
import { changeState } from '../releases/change-state.ts'
import type { ReleaseRow } from '../releases/events.ts'
import { frozenUntil, type FreezeWindow } from '../releases/freeze.ts'
import { askedFor } from '../releases/requirements.ts'
import { enabledPolicies, matches } from '../release-policies/repository.ts'
import type { Scope } from '../../database/scope.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import { releaseBy } from './ending.ts'
import type { ExecuteRequest } from './model.ts'
import type { Operating } from './operations.ts'
import { environmentsOf } from './places.ts'
import { isBaseLive, isIdle, keepCandidates, startExecution } from './starting.ts'
import type { ExecutionRow } from './state.ts'

/**
 * Have the platform carry a release out. Throws 409: `approvals_missing` where those that were given do not suffice any more, and
 * the release waits for approvals again; `frozen`, `busy`, `stale`, `wrong_state`.
 */
export async function execute(
  operating: Operating,
  caller: Caller,
  id: string,
  { emergency_reason: emergencyReason }: ExecuteRequest,
): Promise<ExecutionRow> {
  const { database, place, author } = operating
  const { member } = place
  if (emergencyReason !== undefined && !member.permissions.has('org.manage'))
    throw failures.forbidden('only an owner executes in an emergency', 'org.manage')
  const { scope } = member
  const candidates = await keepCandidates(database, scope, await releaseBy({ scope }, id))
  const started = await database.change(member.org, author, async (change) => {
    await change.lock()
    const release = await releaseBy(change, id)
    const { actor } = author
    const environments = await environmentsOf(change.scope, id)
    const approvals_stand = await doApprovalsStand(change.scope, release, environments)
    if (!approvals_stand) {
      await changeState(change, release, 'execute', { actor, conditions: { approvals_stand } })
      return undefined
    }
    const places = environments.map((environment) => environment.id)
    const conditions = {
      approvals_stand,
      unfrozen: emergencyReason !== undefined || !(await isFrozen(change.scope, release, environments)),
      idle: await isIdle(change.scope, id, places),
      base_is_live: await isBaseLive(change.scope, id, places),
    }
    const progress = { candidates, held: [] }
    return startExecution(change, release, { actor, conditions, progress, emergencyReason })
  })
  if (started === undefined)
    throw failures.conflict('approvals_missing', 'the approvals do not suffice any more: it waits for others', {
      status: 'pending_approval',
    })
  return started
}

/** Whether the stricter of what was asked for at first and what is asked for now is met by people who may approve now. */
async function doApprovalsStand(
  scope: Scope,
  { id, project_id, authors }: ReleaseRow,
  environments: readonly EnvironmentRow[],
): Promise<boolean> {
  const stored = await scope
    .read('release_requirements')
    .selectFrom('release_requirements')
    .select(['environment_id', 'policy_id', 'min_count', 'roles', 'exclude_authors'])
    .where('release_id', '=', id)
    .orderBy('position')
    .execute()
  const approvals = await scope
    .read('release_reviews')
    .selectFrom('release_reviews')
    .select('user_id')
    .where('release_id', '=', id)
    .where('decision', '=', 'approved')
    .execute()
  const { requirements } = await askedFor(scope, project_id, environments, false)
  const met = meet(stricter(stored, requirements), {
    approvers: approvals.map(({ user_id }) => user_id),
    authors: new Set(authors),
    holders: await holdersIn(scope),
  })
  return met.every(({ satisfied }) => satisfied)
}

/** Whether a freeze window of a policy is open in one of the environments. */
async function isFrozen(
  scope: Scope,
  { project_id }: ReleaseRow,
  environments: readonly EnvironmentRow[],
): Promise<boolean> {
  const now = new Date()
  return (await enabledPolicies(scope, project_id))
    .filter((policy) => environments.some(({ id }) => matches(policy, id)))
    .some(({ freeze_window: window }) => window !== null && frozenUntil(window as unknown as FreezeWindow, now) !== null)
}
