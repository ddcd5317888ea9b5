import type { Value } from '@engine/expression'
import type { Updateable } from 'kysely'
import type { Author } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus, Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { notify } from '../notifications/repository.ts'
import { holdersIn } from './approvals.ts'
import { appendEvent, type EventRow, type ReleaseRow } from './events.ts'
import { type Conditions, isRefused, type Operation, possibleIn, type Refusal, transition } from './states.ts'

/** How the audit names each operation; what the platform does by itself is a change like any other. */
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

/** An operation on a release, with what else it changes. */
export interface Occurrence {
  readonly actor: Author['actor']
  readonly conditions?: Conditions
  /** What the caller may do, for the answer where the state has no such operation. */
  readonly allowed?: readonly string[]
  /** Further columns of the release. */
  readonly columns?: Omit<Updateable<Tables['releases']>, 'status' | 'rev' | 'event_seq'>
  readonly executionId?: string
  /** Name. */
  readonly environment?: string
  /** Of the event. */
  readonly data?: Readonly<Record<string, Value>>
  /** Ids of users who may approve, where the release waits for them now. */
  readonly approvers?: readonly string[]
}

/**
 * Take a release through one row of the table of states: its row, the event, the audit record, notifications and messages to
 * webhooks, in the transaction of `change`, which has the organization locked. Throws 409 `wrong_state` where the state has no
 * such operation, and the code of the condition where that is in the way; nothing is changed then.
 *
 * @param release as it is under the lock
 */
export async function changeState(
  change: Change,
  release: ReleaseRow,
  operation: Operation,
  occurrence: Occurrence,
): Promise<{ readonly release: ReleaseRow; readonly event: EventRow }> {
  const { actor, conditions = {}, columns = {}, executionId, environment, data } = occurrence
  const outcome = transition(release.status, operation, conditions)
  if (isRefused(outcome)) throw refused(release, operation, outcome, occurrence.allowed ?? possibleIn(release.status))
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
  await notifyOf(change.scope, release.status, after, occurrence.approvers ?? [])
  return { release: { ...after, event_seq: event.seq }, event }
}

function refused(
  { status, number }: ReleaseRow,
  operation: Operation,
  { code, condition }: Refusal,
  allowed: readonly string[],
): Error {
  const why = condition === undefined ? '' : ` because it is not \`${condition}\``
  const possible = allowed.length === 0 ? 'nothing' : allowed.map((one) => `\`${one}\``).join(', ')
  const message = `release ${number} is \`${status}\`: \`${operation}\` is refused${why}; possible: ${possible}`
  return failures.conflict(code, message, { status, allowed })
}

export const nameOf = ({ id, number, title }: Pick<ReleaseRow, 'id' | 'number' | 'title'>) => ({
  id,
  name: `${number} ${title}`,
})

/** A release as the audit has it: what it contains is told by the digest. */
export function auditedOf({ id, number, kind, title, status, content_digest, rollback_of, rev }: ReleaseRow) {
  return { id, number, kind, title, status, content_digest, rollback_of, rev }
}

const FAILED: ReadonlySet<ReleaseStatus> = new Set(['failed', 'rollback_failed'])

/** Tell those who have to do something now. Platform API section 10.14. */
export async function notifyOf(
  scope: Scope,
  before: ReleaseStatus | 'none',
  { id, number, title, status, created_by, project_id }: ReleaseRow,
  approvers: readonly string[],
): Promise<void> {
  const ref = { type: 'release', id }
  const payload = { number, title, status, project_id }
  if (status === 'pending_approval') await notify(scope, approvers, { kind: 'release_approval_pending', ref, payload })
  if (before === status || !FAILED.has(status)) return
  const holders = await holdersIn(scope)
  const told = [...holders].filter(
    ([user, { roles }]) => user === created_by || roles.has('admin') || roles.has('owner'),
  )
  await notify(
    scope,
    told.map(([user]) => user),
    { kind: 'release_failed', ref, payload },
  )
}
