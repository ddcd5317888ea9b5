import type { Change } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Person } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { changeState } from './state-change.ts'
import type { ReleaseRow } from './events.ts'
import type { Release } from './model.ts'
import { notifyApprovers } from './notices.ts'
import { releaseBy } from './repository.ts'
import { isReviewer, shownRelease, type Viewer } from './view.ts'
import { type ApprovalStatus, approvalStatusOf } from './approval-status.ts'
import { possibleIn } from './states.ts'

/** A person's review of a release. */
export interface Verdict {
  readonly decision: 'approved' | 'rejected'
  readonly comment: string
  /** Digest of the content that the person has read; undefined if not stated. */
  readonly contentDigest?: string | undefined
}

/**
 * Approves or rejects a release. Throws 403 if the person's review does not count, 409 `wrong_state`, `reviewed` for a
 * second review, `stale` if the person has read another content.
 */
export function review(
  acting: Acting<InProject, Person>,
  id: string,
  { decision, comment, contentDigest }: Verdict,
): Promise<Release> {
  const { caller, place } = acting
  return inRelease(acting, id, async (change, row, standing) => {
    const { reviews } = standing.whole
    const operation = decision === 'approved' ? 'approve' : 'reject'
    const viewer = { caller, member: place.member }
    if (standing.approval !== undefined && !isReviewer(caller.id, standing)) throw notReviewer(caller.id, row)
    if (!possibleIn(row.status).includes(operation))
      await changeState(change, row, operation, { actor: acting.author.actor, viewer })
    if (reviews.some(({ user_id }) => user_id === caller.id))
      throw failures.conflict('reviewed', 'you have reviewed this release already: a review is given once')
    if (contentDigest !== undefined && contentDigest !== row.content_digest)
      throw failures.conflict('stale', 'the release has another content than the one that you name', {
        content_digest: row.content_digest,
      })
    await change.scope
      .insert('release_reviews', { release_id: row.id, user_id: caller.id, decision, comment })
      .execute()
    const { isApproved } = await approvalStatusOf(change.scope, row)
    const conditions = decision === 'approved' ? { approvals_stand: isApproved } : {}
    const data = {
      decision,
      comment,
      content_digest: row.content_digest,
      ...(decision === 'rejected' && { reason: comment }),
    }
    return changeState(change, row, operation, { actor: acting.author.actor, viewer, conditions, data })
  })
}

function notReviewer(user: string, { authors }: ReleaseRow): Error {
  return failures.forbidden(
    authors.includes(user)
      ? 'a policy excludes the authors of the released changes, and you are one'
      : 'the policies of this release require roles that you do not have',
    'release.approve',
  )
}

/** Ends a release that was not executed. Throws 409 `wrong_state`. */
export function cancel(acting: Acting<InProject>, id: string): Promise<Release> {
  const { caller, place, author } = acting
  const viewer = { caller, member: place.member }
  return inRelease(acting, id, (change, row) => changeState(change, row, 'cancel', { actor: author.actor, viewer }))
}

/**
 * Sends a release back to its approvers, because its approvals no longer suffice: roles, memberships or policies have
 * changed. The caller answers 409 `approvals_missing` after the commit.
 */
export async function sendBack(
  change: Change,
  release: ReleaseRow,
  {
    requirements,
    whole,
  }: ApprovalStatus & { readonly whole: { readonly reviews: readonly { readonly user_id: string }[] } },
  actor: Author['actor'],
  viewer: Viewer,
): Promise<ReleaseRow> {
  const { release: after } = await changeState(change, release, 'execute', {
    actor,
    viewer,
    conditions: { approvals_stand: false },
    data: { reason: 'the approvals do not suffice any more' },
  })
  await notifyApprovers(
    change.scope,
    after,
    requirements.filter(({ satisfied }) => !satisfied),
    whole.reviews.map(({ user_id }) => user_id),
  )
  return after
}

/** Changes a release under the lock of its organization, and return its new state. */
async function inRelease(
  acting: Acting<InProject>,
  id: string,
  work: (
    change: Change,
    row: ReleaseRow,
    standing: Awaited<ReturnType<typeof approvalStatusOf>>,
  ) => Promise<{ readonly release: ReleaseRow }>,
): Promise<Release> {
  const { caller, place } = acting
  const { release } = await acting.change(async (change) => {
    const row = await releaseBy(change.scope, place.project.id, id)
    return work(change, row, await approvalStatusOf(change.scope, row))
  })
  return shownRelease(place.member.scope, release, { caller, member: place.member })
}
