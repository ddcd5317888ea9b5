import type { Value } from '@engine/expression'
import { actionsOf } from '../../access/membership.ts'
import type { Scope } from '../../database/scope.ts'
import { activeHolders } from '../members/repository.ts'
import { notify } from '../notifications/repository.ts'

/** A release, as notifications name it. */
interface Named {
  readonly id: string
  readonly project_id: string
  readonly number: number
  readonly title: string
  readonly created_by: string
}

/** Who has to agree, and has not yet. */
export interface Approving {
  /** Names of roles and actions, any of which suffices; empty: `release.approve`. */
  readonly roles: readonly string[]
  readonly exclude_authors: boolean
}

/** A member with what may count for an approval. */
interface Holder {
  readonly user_id: string
  readonly roles: ReadonlySet<string>
  readonly actions: ReadonlySet<string>
}

/**
 * Tell all who may approve a release now (platform API 10.14), each once.
 *
 * @param unsatisfied its requirements that lack approvals
 * @param reviewers who reviewed it already: a review is given once
 */
export async function notifyApprovers(
  scope: Scope,
  release: Named & { readonly authors: readonly string[] },
  unsatisfied: readonly Approving[],
  reviewers: readonly string[],
): Promise<void> {
  if (unsatisfied.length === 0) return
  const holders = await holdersIn(scope)
  const may = (holder: Holder) =>
    !reviewers.includes(holder.user_id) &&
    unsatisfied.some(
      ({ roles, exclude_authors }) =>
        !(exclude_authors && release.authors.includes(holder.user_id)) && isFit(holder, roles),
    )
  await notify(
    scope,
    holders.filter(may).map(({ user_id }) => user_id),
    { kind: 'release_approval_pending', ref: { type: 'release', id: release.id }, payload: payloadOf(release) },
  )
}

/** Tell its creator and the administrators that a release has failed. */
export async function notifyOfFailure(scope: Scope, release: Named, error: string | null): Promise<void> {
  const holders = await holdersIn(scope)
  const told = holders.filter((holder) => isFit(holder, ['admin']) || holder.user_id === release.created_by)
  await notify(
    scope,
    told.map(({ user_id }) => user_id),
    {
      kind: 'release_failed',
      ref: { type: 'release', id: release.id },
      payload: { ...payloadOf(release), error },
    },
  )
}

/** Whether a member holds one of these roles or actions; an owner counts as administrator. */
function isFit({ roles, actions }: Holder, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return actions.has('release.approve')
  return wanted.some((name) => roles.has(name) || actions.has(name) || (name === 'admin' && roles.has('owner')))
}

const payloadOf = ({ project_id, number, title }: Named): { readonly [name: string]: Value } => ({
  project_id,
  number,
  title,
})

/** Active members who have an account, with the union of their roles. */
async function holdersIn(scope: Scope): Promise<readonly Holder[]> {
  const byUser = new Map<string, { roles: Set<string>; actions: Set<string> }>()
  for (const { user_id, name, is_system, permissions } of await activeHolders(scope)) {
    if (user_id === null) continue
    const held = byUser.get(user_id) ?? { roles: new Set(), actions: new Set() }
    held.roles.add(name)
    for (const action of actionsOf(name, is_system, permissions)) held.actions.add(action)
    byUser.set(user_id, held)
  }
  return Array.from(byUser, ([user_id, held]) => ({ user_id, ...held }))
}
