import { json } from '../../http/json-response.ts'
import { actingIn } from '../../resources/acting.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { failures } from '../../errors.ts'
import { inProject } from '../projects/project-scope.ts'
import { ApproveRequest, CancelRequest, RejectRequest, Release } from './model.ts'
import { atRelease, group, ONE } from './release-scope.ts'
import type { ReleaseParts } from './preparation.ts'
import { cancel, review } from './review.ts'
import { personOf } from './reviewer.ts'

/** Approving, rejecting and withdrawing releases. */
export function reviewRoutes({ database }: ReleaseParts): readonly Route[] {
  const within = inProject(database)
  const find = atRelease
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/approve`,
      right: 'release.approve',
      summary: 'Approve a release; once per person, requires a session',
      group,
      within,
      find,
      body: ApproveRequest,
      isBodyOptional: true,
      answers: { 200: Release },
      hasConflicts: true,
      async handle(asked) {
        const { found, body } = asked
        const acting = actingIn(database, { ...asked, caller: personOf(asked.caller) })
        const { comment = '', content_digest: contentDigest } = body
        return json(200, await review(acting, found.id, { decision: 'approved', comment, contentDigest }))
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/reject`,
      right: 'release.approve',
      summary: 'Reject a release with a reason; requires a session',
      group,
      within,
      find,
      body: RejectRequest,
      answers: { 200: Release },
      hasConflicts: true,
      async handle(asked) {
        const { found, body } = asked
        const acting = actingIn(database, { ...asked, caller: personOf(asked.caller) })
        const comment = (body.reason ?? body.comment ?? '').trim()
        if (comment === '') throw failures.invalid('/reason', 'is missing: give the reason for the refusal')
        return json(200, await review(acting, found.id, { decision: 'rejected', comment }))
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/cancel`,
      right: 'release.execute',
      summary: 'Cancel a release that was not executed; also allowed for its creator',
      group,
      within,
      find,
      isOwn: ({ id }, found) => found.created_by === id,
      body: CancelRequest,
      isBodyOptional: true,
      answers: { 200: Release },
      hasConflicts: true,
      handle: async (asked) => json(200, await cancel(actingIn(database, asked), asked.found.id)),
    }),
  ]
}
