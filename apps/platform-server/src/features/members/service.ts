import { refuseAboveOwn } from '../../access/permission-grant.ts'
import type { InOrganization } from '../../access/membership.ts'
import { wakeRights } from '../../access/rights-topic.ts'
import type { Caller } from '../../access/caller.ts'
import type { Change } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { grantOf, rolesNamed, type RoleRow } from '../roles/repository.ts'
import type { Member } from './model.ts'
import { notifyOfMember } from './member-notice.ts'
import { countOwners, memberByEither, memberOfRow, type MemberRow, rolesOfMember } from './repository.ts'

/**
 * Change the roles of a member. The old and the new roles must be within the caller's rights, members cannot change their own
 * roles, and one owner must remain. Changes of members are serialized: otherwise two owners could demote each other
 * concurrently.
 */
export async function changeRoles(
  acting: Acting<InOrganization>,
  id: string,
  names: readonly string[],
): Promise<Member> {
  const { caller } = acting
  const rights = acting.place.member
  return acting.change(async (change) => {
    const { scope, audit } = change
    const row = await memberByEither(scope, id)
    if (isSelf(caller, row)) throw failures.forbidden('members cannot change their own roles', 'own-roles')
    const before = await rolesOfMember(scope, row.id)
    const after = await rolesNamed(scope, names, '/roles')
    refuseAboveOwn(rights, [...before, ...after].map(grantOf))
    if (isOwner(before) && !isOwner(after)) await refuseLastOwner(scope, row)
    await scope.delete('member_roles').where('member_id', '=', row.id).execute()
    await insertRoles(scope, row.id, after)
    const [old, member] = [shown(row, before, rights.org), shown(row, after, rights.org)]
    await audit({ action: 'member.updated', object: objectOf(row), before: old, after: member })
    await notifyOfMember(scope, 'roles', member)
    await wakeRights(change, rights.org)
    return member
  })
}

/** Remove a member, or withdraw an invitation. The member's keys are revoked, except those that belong to the organization. */
export async function removeMember(acting: Acting<InOrganization>, id: string): Promise<void> {
  const { caller } = acting
  const rights = acting.place.member
  await acting.change(async (change) => {
    const { scope } = change
    const row = await memberByEither(scope, id)
    const roles = await rolesOfMember(scope, row.id)
    if (!isSelf(caller, row)) refuseAboveOwn(rights, roles.map(grantOf))
    if (isOwner(roles)) await refuseLastOwner(scope, row)
    await deleteMember(change, row, roles)
  })
}

/** Delete a membership and its dependents, and audit the deletion. */
export async function deleteMember(change: Change, row: MemberRow, roles: readonly RoleRow[]): Promise<void> {
  const { scope, audit } = change
  const before = shown(row, roles, scope.org)
  if (row.user_id !== null) {
    const keys = await scope.delete('api_keys').where('user_id', '=', row.user_id).returning(['id', 'name']).execute()
    for (const key of keys) await audit({ action: 'api_key.revoked', object: key })
    await scope.delete('notifications').where('user_id', '=', row.user_id).execute()
  }
  await scope.delete('members').where('id', '=', row.id).execute()
  await audit({ action: 'member.deleted', object: objectOf(row), before })
  await notifyOfMember(scope, 'removed', before)
  await wakeRights(change, scope.org)
}

/** Assign roles to a membership without any. */
export async function insertRoles(scope: Scope, member_id: string, roles: readonly RoleRow[]): Promise<void> {
  await scope
    .insert(
      'member_roles',
      roles.map(({ id }) => ({ member_id, role_id: id })),
    )
    .execute()
}

/** A member with its roles in the form of the public API. */
export function shown(row: MemberRow, roles: readonly RoleRow[], org: OrgId): Member {
  return memberOfRow(
    row,
    roles.map(({ name }) => name),
    org,
  )
}

/** The object of an audit entry about a member. */
export const objectOf = ({ id, email }: MemberRow) => ({ id, name: email })

/** Whether a membership belongs to the caller. */
export function isSelf(caller: Caller, { user_id }: Pick<MemberRow, 'user_id'>): boolean {
  return caller.kind === 'user' && caller.id === user_id
}

const isOwner = (roles: readonly RoleRow[]) => roles.some(({ name, is_system }) => is_system && name === 'owner')

async function refuseLastOwner(scope: Scope, { status }: MemberRow): Promise<void> {
  if (status === 'active' && (await countOwners(scope)) === 1)
    throw failures.conflict('last_owner', 'it is the last owner: make another member an owner first')
}
