import type { Value } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import { notify } from '../notifications/repository.ts'
import { fits, holdersIn, mayApprove } from './approvals.ts'
import type { Approvers } from '../release-policies/model.ts'

/** The parts of a release that notifications name. */
interface Named {
  readonly id: string
  readonly project_id: string
  readonly number: number
  readonly title: string
  readonly created_by: string
}

/**
 * Notifies everyone who may currently approve a release (platform contract 10.14), each person once.
 *
 * @param unsatisfied its requirements that lack approvals
 * @param reviewers people who have already reviewed: each person reviews once
 */
export async function notifyApprovers(
  scope: Scope,
  release: Named & { readonly authors: readonly string[] },
  unsatisfied: readonly Approvers[],
  reviewers: readonly string[],
): Promise<void> {
  if (unsatisfied.length === 0) return
  const approval = { holders: await holdersIn(scope), authors: new Set(release.authors) }
  const may = (user: string) => !reviewers.includes(user) && mayApprove(user, unsatisfied, approval)
  await notify(scope, [...approval.holders.keys()].filter(may), {
    kind: 'release_approval_pending',
    ref: { type: 'release', id: release.id },
    payload: payloadOf(release),
  })
}

/** Notifies the creator, the reviewers and earlier commenters of a comment, except its author and former members. */
export async function notifyOfComment(
  scope: Scope,
  release: Named,
  author: { readonly id: string; readonly name: string },
  commenters: readonly string[],
): Promise<void> {
  const reviews = await scope
    .read('release_reviews')
    .selectFrom('release_reviews')
    .select('user_id')
    .where('release_id', '=', release.id)
    .execute()
  const concerned = new Set([release.created_by, ...reviews.map(({ user_id }) => user_id), ...commenters])
  concerned.delete(author.id)
  const holders = await holdersIn(scope)
  await notify(
    scope,
    [...concerned].filter((user) => holders.has(user)),
    {
      kind: 'release_commented',
      ref: { type: 'release', id: release.id },
      payload: { ...payloadOf(release), author: author.name },
    },
  )
}

/** Notifies the creator and the administrators of a failed release. */
export async function notifyOfFailure(scope: Scope, release: Named, error: string | null): Promise<void> {
  const holders = await holdersIn(scope)
  const told = [...holders].filter(([user, holder]) => fits(holder, ['admin']) || user === release.created_by)
  await notify(
    scope,
    told.map(([user]) => user),
    {
      kind: 'release_failed',
      ref: { type: 'release', id: release.id },
      payload: { ...payloadOf(release), error },
    },
  )
}

const payloadOf = ({ project_id, number, title }: Named): { readonly [name: string]: Value } => ({
  project_id,
  number,
  title,
})
