import { stringifyJson } from '@engine/expression'
import { type Action, isAction } from '../../access/actions.ts'
import { actionsOf } from '../../access/membership.ts'
import type { Scope } from '../../database/scope.ts'
import type { Approvers } from '../release-policies/model.ts'

/** The required approvers of a release, and the reason. */
export interface Requirement extends Approvers {
  /** Id of the environment; null for a breaking change of a contract. */
  readonly environment_id: string | null
  readonly policy_id: string | null
}

/** The roles and actions that a person currently has. */
export interface Holder {
  readonly roles: ReadonlySet<string>
  readonly actions: ReadonlySet<Action>
}

/** The people with roles in an organization now, by user. */
export async function holdersIn(scope: Scope): Promise<ReadonlyMap<string, Holder>> {
  const rows = await scope.read('role_holders').selectFrom('role_holders').selectAll().execute()
  return new Map(
    [...Map.groupBy(rows, ({ user_id }) => user_id)].map(([user, held]) => [
      user,
      {
        roles: new Set(held.map(({ role }) => role)),
        actions: new Set(held.flatMap(({ role, is_system, permissions }) => actionsOf(role, is_system, permissions))),
      },
    ]),
  )
}

/** True if a person has one of the roles or actions that a requirement names. An owner counts as an admin. */
export function fits(holder: Holder | undefined, roles: readonly string[]): boolean {
  if (holder === undefined) return false
  const wanted = roles.length === 0 ? ['release.approve'] : roles
  return wanted.some((one) =>
    // A role with the name of an action does not grant the action.
    isAction(one) ? holder.actions.has(one) : holder.roles.has(one) || (one === 'admin' && holder.roles.has('owner')),
  )
}

/** The approvals that count, and for which requirements. */
export interface Approval {
  readonly approvers: readonly string[]
  readonly authors: ReadonlySet<string>
  readonly holders: ReadonlyMap<string, Holder>
}

/** True if the approval of a person counts for a requirement. */
function counts(
  user: string,
  { roles, exclude_authors }: Approvers,
  { authors, holders }: Omit<Approval, 'approvers'>,
): boolean {
  const holder = holders.get(user)
  // The route checks the current right; people who lost it since then no longer count as approvers.
  const mayReview = holder?.actions.has('release.approve') === true
  return mayReview && fits(holder, roles) && !(exclude_authors && authors.has(user))
}

/** True if a person may give one of the open approvals. */
export function mayApprove(user: string, wanted: readonly Approvers[], approval: Omit<Approval, 'approvers'>): boolean {
  return wanted.some((requirement) => counts(user, requirement, approval))
}

/** The number of people whose approval would count for a requirement now. */
export function countApprovers(requirement: Approvers, approval: Omit<Approval, 'approvers'>): number {
  return [...approval.holders.keys()].filter((user) => counts(user, requirement, approval)).length
}

/** A requirement with the approvals that meet it. */
export interface Met extends Requirement {
  readonly approved_by: readonly string[]
  readonly satisfied: boolean
}

/** The requirements with the approvals that currently count. */
export function meet(requirements: readonly Requirement[], approval: Approval): readonly Met[] {
  const distinct = [...new Set(approval.approvers)]
  return requirements.map((requirement) => {
    const approved_by = distinct.filter((user) => counts(user, requirement, approval))
    return { ...requirement, approved_by, satisfied: approved_by.length >= requirement.min_count }
  })
}

/**
 * The requirements at creation and the current ones combined: at least as strict as either. Requirements of one
 * environment and the same roles merge; for different roles both must be met.
 */
export function stricter(stored: readonly Requirement[], current: readonly Requirement[]): readonly Requirement[] {
  const merged = new Map<string, Requirement>()
  for (const one of [...stored, ...current]) {
    const key = stringifyJson([one.environment_id, ...one.roles.toSorted()])
    const other = merged.get(key)
    merged.set(key, other === undefined ? one : stricterOf(other, one))
  }
  return [...merged.values()]
}

const stricterOf = (before: Requirement, after: Requirement): Requirement => ({
  ...after,
  min_count: Math.max(before.min_count, after.min_count),
  exclude_authors: before.exclude_authors || after.exclude_authors,
})
