import { refuseAboveOwn } from '../../access/permission-grant.ts'
import type { Member as Rights } from '../../access/membership.ts'
import { wakeRights } from '../../access/rights-topic.ts'
import type { Caller } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { Change, Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { grantOf, rolesNamed, type RoleRow } from '../roles/repository.ts'
import type { Member } from './model.ts'
import { notifyOfMember } from './member-notice.ts'
import { countOwners, memberByEither, memberOfRow, type MemberRow, rolesOfMember } from './repository.ts'

/**
 * Give a member other roles: within the actions of the caller, before and after, and never one's own; one owner stays.
 * Changes of members wait for one another: two owners who demote each other at once would both succeed.
 */
export async function changeRoles(
  database: Database,
  rights: Rights,
  caller: Caller,
  author: Author,
  id: string,
  names: readonly string[],
): Promise<Member> {
  return database.change(rights.org, author, async (change) => {
    const { scope, audit, lock } = change
    await lock()
    const row = await memberByEither(scope, id)
    if (isSelf(caller, row)) throw failures.forbidden('the own roles are changed by others', 'own-roles')
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

/** Remove a member, or withdraw an invitation. The member's keys end, but for those that belong to the organization. */
export async function removeMember(
  database: Database,
  rights: Rights,
  caller: Caller,
  author: Author,
  id: string,
): Promise<void> {
  await database.change(rights.org, author, async (change) => {
    const { scope, lock } = change
    await lock()
    const row = await memberByEither(scope, id)
    const roles = await rolesOfMember(scope, row.id)
    if (!isSelf(caller, row)) refuseAboveOwn(rights, roles.map(grantOf))
    if (isOwner(roles)) await refuseLastOwner(scope, row)
    await deleteMember(change, row, roles)
  })
}

/** Delete a membership with what hangs on it, and its audit. */
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

/** Give a membership roles, of which it has none. */
export async function insertRoles(scope: Scope, member_id: string, roles: readonly RoleRow[]): Promise<void> {
  await scope
    .insert(
      'member_roles',
      roles.map(({ id }) => ({ member_id, role_id: id })),
    )
    .execute()
}

/** A member with its roles, as the interface shows it. */
export function shown(row: MemberRow, roles: readonly RoleRow[], org: OrgId): Member {
  return memberOfRow(
    row,
    roles.map(({ name }) => name),
    org,
  )
}

/** A member in the audit. */
export const objectOf = ({ id, email }: MemberRow) => ({ id, name: email })

/** Whether a caller is the person of a membership. */
export function isSelf(caller: Caller, { user_id }: Pick<MemberRow, 'user_id'>): boolean {
  return caller.kind === 'user' && caller.id === user_id
}

const isOwner = (roles: readonly RoleRow[]) => roles.some(({ name, is_system }) => is_system && name === 'owner')

async function refuseLastOwner(scope: Scope, { status }: MemberRow): Promise<void> {
  if (status === 'active' && (await countOwners(scope)) === 1)
    throw failures.conflict('last_owner', 'it is the last owner: make another member an owner first')
}
