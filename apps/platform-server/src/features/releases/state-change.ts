import type { Value } from '@engine/expression'
import type { Updateable } from 'kysely'
import type { Author } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { ReleaseStatus, Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { appendEvent, type EventRow, type ReleaseRow } from './events.ts'
import { notifyOfFailure } from './notices.ts'
import { allowedTo, type Viewer } from './view.ts'
import { type Condition, type Conditions, isRefused, type Operation, type Refusal, transition } from './states.ts'

/** Names of operations in the audit; operations of the platform itself are recorded like any other. */
const VERBS = {
  create: 'created',
  approve: 'approved',
  reject: 'rejected',
  cancel: 'cancelled',
  execute: 'executed',
  hold: 'paused',
  pause: 'paused',
  resume: 'resumed',
  promote: 'promoted',
  abort: 'aborted',
  rollback: 'rolled_back',
  fail_stage: 'updated',
  fail: 'updated',
  complete: 'updated',
  end_rollback: 'updated',
} as const satisfies Record<Operation, string>

/** An operation on a release, with its further changes. */
export interface TransitionInput {
  readonly actor: Author['actor']
  readonly conditions?: Conditions
  /** The caller, whose possible operations a refusal lists; undefined for the platform itself. */
  readonly viewer?: Viewer
  /** Further columns of the release. */
  readonly columns?: Omit<Updateable<Tables['releases']>, 'status' | 'rev' | 'event_seq'>
  readonly executionId?: string
  /** Name. */
  readonly environment?: string
  /** Data of the event. */
  readonly data?: Readonly<Record<string, Value>>
}

/**
 * Applies one row of the table of states to a release: its row, the event, the audit record, notifications and webhook
 * messages, in the transaction of `change`, which holds the lock of the organization. `notifyApprovers` notifies
 * approvers. Throws 409 `wrong_state` if the state has no such operation, and the code of the unmet condition
 * otherwise; nothing is changed then.
 *
 * @param release as read under the lock
 */
export async function changeState(
  change: Change,
  release: ReleaseRow,
  operation: Operation,
  occurrence: TransitionInput,
): Promise<{ readonly release: ReleaseRow; readonly event: EventRow }> {
  const { actor, conditions = {}, columns = {}, executionId, environment, data, viewer } = occurrence
  const outcome = transition(release.status, operation, conditions)
  if (isRefused(outcome))
    throw refused(
      release,
      operation,
      outcome,
      viewer === undefined ? [] : await allowedTo(change.scope, release, viewer),
    )
  const after = await change.scope
    .update('releases')
    .set({ ...columns, status: outcome.to, rev: release.rev + 1, updated_at: new Date() })
    .where('id', '=', release.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const happening = { type: outcome.event, actor, status: outcome.to, executionId, environment, data }
  const event = await appendEvent(change, after, happening)
  await change.audit({
    action: `release.${VERBS[operation]}`,
    object: nameOf(release),
    before: auditedOf(release),
    after: { ...auditedOf(after), ...data },
    projectId: release.project_id,
  })
  // A failed stage is reported too, whether it pauses the release or rolls it back.
  if (FAILED.has(outcome.to) || operation === 'fail_stage') await notifyOfFailure(change.scope, after, reasonIn(data))
  return { release: { ...after, event_seq: event.seq }, event }
}

const FAILED: ReadonlySet<ReleaseStatus> = new Set(['failed', 'rollback_failed'])

/** The reason of the failure, from the data of the event. */
function reasonIn(data: TransitionInput['data']): string | null {
  const error = data?.['error'] ?? data?.['reason']
  return typeof error === 'string' ? error : null
}

/** Why an operation is refused if a condition does not hold. */
const REASONS: Readonly<Record<Condition, string>> = {
  approvals_stand: 'approvals are missing',
  unfrozen: 'a freeze window is open',
  idle: 'another release is on its way in one of its environments',
  base_is_live: 'something else is live than it was compared with: make a new release',
  in_canary: 'it is in no stage of a canary',
  only_canary: 'engines have more of it than a canary: roll it back',
  newest: 'a later release has changed one of its environments',
  has_baseline: 'nothing was live before it',
  rolls_back: 'its stage has not failed',
  ended_well: 'its rollback has not ended',
}

function refused(
  { status, number }: ReleaseRow,
  operation: Operation,
  { code, condition }: Refusal,
  allowed: readonly string[],
): Error {
  const why = condition === undefined ? '' : `, since ${REASONS[condition]}`
  const possible = allowed.length === 0 ? 'nothing' : allowed.map((one) => `\`${one}\``).join(', ')
  const message = `release ${number} is \`${status}\`: \`${operation}\` is refused${why}; possible: ${possible}`
  return failures.conflict(code, message, { status, allowed })
}

export const nameOf = ({ id, number, title }: Pick<ReleaseRow, 'id' | 'number' | 'title'>) => ({
  id,
  name: `${number} ${title}`,
})

/** A release in the form of the audit: the digest represents its contents. */
export function auditedOf({ id, number, kind, title, status, content_digest, rollback_of, rev }: ReleaseRow) {
  return { id, number, kind, title, status, content_digest, rollback_of, rev }
}
