import { randomUUIDv7 } from 'node:crypto'
import { refuseAboveOwn } from '../../access/permission-grant.ts'
import type { InOrganization } from '../../access/membership.ts'
import { wakeRights } from '../../access/rights-topic.ts'
import { type Change, sqlState } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { Role, RoleChange } from './model.ts'
import { refuseRoleName } from './role-names.ts'
import { grantOf, roleById, roleOf, type RoleRow } from './repository.ts'

/** Create a role with actions that its author holds. */
export async function createRole(
  acting: Acting<InOrganization>,
  { name, description = '', permissions }: Required<Pick<RoleChange, 'name' | 'permissions'>> & RoleChange,
): Promise<Role> {
  refuseRoleName(name)
  refuseAboveOwn(acting.place.member, [{ name, isSystem: false, actions: permissions }])
  const row = {
    id: randomUUIDv7(),
    name,
    description,
    permissions: [...new Set(permissions)],
    created_by: acting.by,
  }
  return acting.change(async ({ scope, audit }) => {
    const role = roleOf(await scope.insert('roles', row).returningAll().executeTakeFirstOrThrow())
    await audit({ action: 'role.created', object: role, after: role })
    return role
  }, name)
}

/**
 * Change a role. The author must hold its actions before and after the change. @param rev the revision that it must
 * have; undefined: any
 */
export async function changeRole(
  acting: Acting<InOrganization>,
  id: string,
  { permissions, ...texts }: RoleChange,
  rev: number | undefined,
): Promise<Role> {
  const { member } = acting.place
  return acting.change(async (change) => {
    const { scope, audit } = change
    const before = await roleById(scope, id)
    refuseSystem(before)
    if (rev !== undefined && before.rev !== rev) throw staleRevision(roleOf(before))
    // A role that was created before names were checked may keep its name.
    if (texts.name !== undefined && texts.name !== before.name) refuseRoleName(texts.name)
    refuseAboveOwn(member, [grantOf(before), { name: before.name, isSystem: false, actions: permissions ?? [] }])
    const after = await scope
      .update('roles')
      .set({
        ...texts,
        ...(permissions === undefined ? {} : { permissions: [...new Set(permissions)] }),
        updated_at: new Date(),
        rev: before.rev + 1,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const role = roleOf(after)
    await audit({ action: 'role.updated', object: role, before: roleOf(before), after: role })
    await wakeRights(change, member.org)
    return role
  }, texts.name)
}

/** Delete a role without members. */
export async function deleteRole(acting: Acting<InOrganization>, id: string, rev: number | undefined): Promise<void> {
  try {
    await acting.change(async (change) => {
      const before = await roleById(change.scope, id)
      refuseSystem(before)
      if (rev !== undefined && before.rev !== rev) throw staleRevision(roleOf(before))
      refuseAboveOwn(acting.place.member, [grantOf(before)])
      await removeRole(change, before)
    })
  } catch (error) {
    if (sqlState(error) === '23503')
      throw failures.conflict('in_use', 'members hold this role: take it from them first')
    throw error
  }
}

async function removeRole({ scope, audit }: Change, row: RoleRow): Promise<void> {
  const deleted = await scope.delete('roles').where('id', '=', row.id).executeTakeFirst()
  if (deleted.numDeletedRows === 0n) throw failures.notFound('role', row.id)
  await audit({ action: 'role.deleted', object: row, before: roleOf(row) })
}

function refuseSystem({ name, is_system }: RoleRow): void {
  if (is_system) throw failures.forbidden(`\`${name}\` is one of the roles that every organization has`, 'system-role')
}
