import { defined } from '@engine/expression'
import type { Action } from '../../access/actions.ts'
import type { Caller } from '../../access/caller.ts'
import type { Rights } from '../../http/route.ts'
import type { Scope } from '../../database/scope.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import { mayApprove, type Met } from './approvals.ts'
import type { ReleaseRow } from './events.ts'
import { type DurableGuards, durableGuards, durableGuardsOf } from './durable-guards.ts'
import { ALLOWED, type Allowed, type Release } from './model.ts'
import { type WholeRelease, wholeReleases } from './repository.ts'
import { type ApprovalStatus, approvalStatusOf, approvalStatusesOf } from './approval-status.ts'
import { isOffered } from './states.ts'

/** The viewer of a release, with the rights there. */
export interface Viewer {
  readonly caller: Caller
  readonly member: Rights
}

/** Releases in the form of the API for a caller. */
export async function shownReleases(
  scope: Scope,
  rows: readonly ReleaseRow[],
  viewer: Viewer,
): Promise<readonly Release[]> {
  const wholes = await wholeReleases(scope, rows)
  const standings = await approvalStatusesOf(scope, wholes)
  const lasting = await durableGuards(scope, rows)
  return wholes.map((whole, index) => {
    const standing = defined(standings[index])
    return shownOf(whole, standing, allowedOf(whole, standing, defined(lasting.get(whole.row.id)), viewer))
  })
}

/** One release in the form of the API. */
export async function shownRelease(scope: Scope, row: ReleaseRow, viewer: Viewer): Promise<Release> {
  const [release] = await shownReleases(scope, [row], viewer)
  return release as Release
}

function shownOf(whole: WholeRelease, standing: ApprovalStatus, allowed: readonly Allowed[]): Release {
  const { row, environments, contents, reviews } = whole
  const names = new Map(environments.map(({ environment_id, name }) => [environment_id, name]))
  return {
    ...recordOf(row),
    number: row.number,
    project_id: row.project_id,
    kind: row.kind,
    status: row.status,
    title: row.title,
    description: row.description,
    acknowledge_breaking: row.acknowledge_breaking,
    environments: environments.map(({ name }) => name),
    rulesets: contents.map(({ name, from_seq, version, digest }) => ({ name, from_seq, version, digest })),
    content_digest: row.content_digest,
    rollback_of: row.rollback_of,
    requirements: shownRequirements(standing.requirements, names),
    reviews: reviews.map(({ user_id: user, decision, comment, at }) => ({
      user,
      decision,
      comment,
      at: at.toISOString(),
    })),
    authors: row.authors,
    // Written only by `storeRelease`.
    tests: row.tests as Release['tests'],
    execution_id: row.execution_id,
    allowed: [...allowed],
  }
}

/** @param names of environments by their ids */
export function shownRequirements(met: readonly Met[], names: ReadonlyMap<string, string>): Release['requirements'] {
  return met.map(({ environment_id, policy_id, min_count, roles, exclude_authors, approved_by, satisfied }) => ({
    environment: environment_id === null ? null : (names.get(environment_id) ?? environment_id),
    policy_id,
    min_count,
    roles: [...roles],
    exclude_authors,
    approved_by: [...approved_by],
    satisfied,
  }))
}

/** The required right of each operation. */
const RIGHTS: Readonly<Record<Allowed, Action>> = {
  approve: 'release.approve',
  reject: 'release.approve',
  cancel: 'release.execute',
  execute: 'release.execute',
  pause: 'release.execute',
  resume: 'release.execute',
  promote: 'release.execute',
  abort: 'release.execute',
  rollback: 'release.rollback',
}

/** The operations that the state of a release permits and the caller may currently perform. */
export async function allowedTo(scope: Scope, row: ReleaseRow, viewer: Viewer): Promise<readonly Allowed[]> {
  const standing = await approvalStatusOf(scope, row)
  return allowedOf(standing.whole, standing, await durableGuardsOf(scope, row), viewer)
}

function allowedOf(
  { row, reviews }: WholeRelease,
  standing: ApprovalStatus,
  lasting: DurableGuards,
  { caller, member: { permissions, withheld } }: Viewer,
): readonly Allowed[] {
  const hasReviewed = reviews.some(({ user_id }) => user_id === caller.id)
  return ALLOWED.filter((operation) => {
    if (!isOffered(row.status, operation, lasting)) return false
    if (operation === 'cancel' && row.created_by === caller.id) return true
    const right = RIGHTS[operation]
    if (!permissions.has(right) || withheld.has(right)) return false
    if (operation !== 'approve' && operation !== 'reject') return true
    return caller.kind === 'user' && !hasReviewed && isReviewer(caller.id, standing)
  })
}

/** True if a person's review of a release counts. If no approval is open, each holder of the right may reject. */
export function isReviewer(user: string, { requirements, approval }: ApprovalStatus): boolean {
  return approval !== undefined && (requirements.length === 0 || mayApprove(user, requirements, approval))
}
