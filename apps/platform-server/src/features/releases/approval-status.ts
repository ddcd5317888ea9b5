import { NO_ID } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus } from '../../database/tables.ts'
import { type Approval, holdersIn, meet, type Met, type Requirement, stricter } from './approvals.ts'
import { type WholeRelease, wholeRelease } from './repository.ts'
import type { ReleaseRow } from './events.ts'
import { enabledPolicies, type PolicyRow } from '../release-policies/repository.ts'
import { askedBy } from './requirements.ts'

/** The current approval status of a release. */
export interface ApprovalStatus {
  readonly requirements: readonly Met[]
  readonly isApproved: boolean
  /** The people whose approvals count; undefined if the release no longer needs approvals. */
  readonly approval: Approval | undefined
}

/** States in which approvals are still open: the current policies, roles and memberships count. */
const OPEN: ReadonlySet<ReleaseStatus> = new Set(['pending_approval', 'approved', 'failed'])

/**
 * The approval status of releases: by the requirements at their creation and the current ones, whichever are stricter, and by
 * people who still have the roles. For releases that were executed or ended, approvals count as given.
 */
export async function approvalStatusesOf(
  scope: Scope,
  releases: readonly WholeRelease[],
): Promise<readonly ApprovalStatus[]> {
  const present = await presentOf(
    scope,
    releases.filter(({ row }) => OPEN.has(row.status)),
  )
  return releases.map((release) => {
    const { row, reviews, requirements } = release
    const approvers = reviews.filter(({ decision }) => decision === 'approved').map(({ user_id }) => user_id)
    const authors = new Set(row.authors)
    if (!OPEN.has(row.status)) return standing(asGiven(requirements, approvers, authors), undefined)
    const approval = { approvers, authors, holders: present.holders }
    return standing(meet(stricter(requirements, currentRequirements(present, release)), approval), approval)
  })
}

/** The current requirements and reviewers of open releases. */
interface Present {
  readonly holders: Approval['holders']
  /** By id. */
  readonly environments: ReadonlyMap<string, { readonly id: string; readonly requires_release: boolean }>
  /** By project. */
  readonly policies: ReadonlyMap<string, readonly PolicyRow[]>
}

/** Read once for all open releases. */
async function presentOf(scope: Scope, open: readonly WholeRelease[]): Promise<Present> {
  if (open.length === 0) return { holders: new Map(), environments: new Map(), policies: new Map() }
  const ids = new Set(open.flatMap(({ environments }) => environments.map(({ environment_id }) => environment_id)))
  const rows = await scope
    .read('environments')
    .selectFrom('environments')
    .select(['id', 'requires_release'])
    .where('id', 'in', [...ids, NO_ID])
    .execute()
  const policies = new Map<string, readonly PolicyRow[]>()
  for (const project of new Set(open.map(({ row }) => row.project_id)))
    policies.set(project, await enabledPolicies(scope, project))
  return { holders: await holdersIn(scope), environments: new Map(rows.map((row) => [row.id, row])), policies }
}

const standing = (requirements: readonly Met[], approval: Approval | undefined): ApprovalStatus => ({
  requirements,
  isApproved: requirements.every(({ satisfied }) => satisfied),
  approval,
})

/** The approval status of one release. */
export async function approvalStatusOf(
  scope: Scope,
  row: ReleaseRow,
): Promise<ApprovalStatus & { readonly whole: WholeRelease }> {
  const whole = await wholeRelease(scope, row)
  const [found] = await approvalStatusesOf(scope, [whole])
  if (found === undefined) throw new Error('a release without a standing')
  return { ...found, whole }
}

function asGiven(
  requirements: readonly Requirement[],
  approvers: readonly string[],
  authors: ReadonlySet<string>,
): readonly Met[] {
  return requirements.map((requirement) => {
    const approved_by = approvers.filter((user) => !requirement.exclude_authors || !authors.has(user))
    return { ...requirement, approved_by, satisfied: approved_by.length >= requirement.min_count }
  })
}

/** A rollback was approved with the release that it restores. */
function currentRequirements(
  present: Present,
  { row, environments, requirements }: WholeRelease,
): readonly Requirement[] {
  if (row.kind === 'rollback') return []
  const places = environments.flatMap(({ environment_id: id }) => present.environments.get(id) ?? [])
  const isBreaking = requirements.some(({ environment_id }) => environment_id === null)
  return askedBy(present.policies.get(row.project_id) ?? [], places, isBreaking).requirements
}
