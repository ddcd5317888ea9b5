import { failures } from '../../errors.ts'
import { frozenIn } from '../releases/open-freeze-windows.ts'
import { sendBack } from '../releases/review.ts'
import { allowedTo } from '../releases/view.ts'
import { approvalStatusOf } from '../releases/approval-status.ts'

import type { ReleaseExecuteRequest } from './model.ts'
import { expectedTransitions } from './expected-transitions.ts'
import { type Operating, viewerOf } from './operations.ts'
import { environmentsOf } from './target-environments.ts'
import { releaseBy } from './locked-rows.ts'
import { isBaseLive, isIdle, keepCandidates, startExecution } from './execution-start.ts'
import type { ExecutionRow } from './rollout-state.ts'

/**
 * Starts the execution of a release. Throws 409: `approvals_missing` if its approvals no longer suffice, and the
 * release waits for approvals again; `frozen`, `busy`, `stale`, `wrong_state`. Throws 400 for an expected transition
 * that the impact of the release does not name.
 */
export async function execute(
  operating: Operating,
  id: string,
  { emergency_reason: emergencyReason, expect = [] }: ReleaseExecuteRequest,
): Promise<ExecutionRow> {
  const { acting } = operating
  const { database, author } = acting
  const { member } = acting.place
  const viewer = viewerOf(operating)
  if (emergencyReason !== undefined && !member.permissions.has('org.manage'))
    throw failures.forbidden('only an owner executes in an emergency', 'org.manage')
  const { scope } = member
  const expected = await expectedTransitions(scope, id, expect)
  const candidates = await keepCandidates(database, scope, await releaseBy({ scope }, id))
  const started = await acting.change(async (change) => {
    const release = await releaseBy(change, id)
    const { actor } = author
    const standing = await approvalStatusOf(change.scope, release)
    const { isApproved: approvals_stand } = standing
    if (!approvals_stand) {
      await sendBack(change, release, standing, actor, viewer)
      return undefined
    }
    const places = (await environmentsOf(change.scope, id)).map((environment) => environment.id)
    const frozen = await frozenIn(change.scope, release.project_id, places, new Date())
    const conditions = {
      approvals_stand,
      // Freeze windows do not block a rollback.
      unfrozen: release.kind === 'rollback' || emergencyReason !== undefined || frozen.length === 0,
      idle: await isIdle(change.scope, id, places),
      base_is_live: await isBaseLive(change.scope, id, places),
    }
    const progress = { candidates, held: [], expected }
    return startExecution(change, release, { actor, viewer, conditions, progress, emergencyReason })
  })
  if (started === undefined)
    throw failures.conflict(
      'approvals_missing',
      'the approvals no longer meet the policy: the release waits for more',
      {
        status: 'pending_approval',
        allowed: await allowedTo(scope, await releaseBy({ scope }, id), viewer),
      },
    )
  return started
}
