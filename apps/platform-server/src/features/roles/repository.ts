import { recordOf } from '../../resources/resource-fields.ts'
import type { Selectable } from 'kysely'
import { actionsOf } from '../../access/membership.ts'
import type { PermissionGrant } from '../../access/permission-grant.ts'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Role } from './model.ts'

/** A role as stored. */
export type RoleRow = Selectable<OrgTables['roles']>

export function rolesOn(scope: Scope, page: Page): Promise<RoleRow[]> {
  const query = scope.read('roles').selectFrom('roles').selectAll()
  return onPage(query, page, { key: page.sort, id: 'id', texts: ['name', 'description'] }).execute()
}

/** Throws `not-found`. */
export async function roleById(scope: Scope, id: string): Promise<RoleRow> {
  const row = isId(id)
    ? await scope.read('roles').selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
    : undefined
  if (row === undefined) throw failures.notFound('role', id)
  return row
}

/** Roles by name or id, without duplicates. Throws 400 for an unknown one. @param path their position in the body */
export async function rolesNamed(scope: Scope, given: readonly string[], path: string): Promise<readonly RoleRow[]> {
  const rows = await scope.read('roles').selectFrom('roles').selectAll().execute()
  const found = given.map((text, index) => {
    const role = rows.find(({ id, name }) => name === text || id === text.toLowerCase())
    if (role === undefined) throw failures.invalid(`${path}/${index}`, `is not a role: \`${text}\``, 'unknown-role')
    return role
  })
  return [...new Set(found)]
}

/** The actions that a role allows. */
export function grantOf({ name, is_system, permissions }: RoleRow): PermissionGrant {
  return { name, isSystem: is_system, actions: actionsOf(name, is_system, permissions) }
}

/** A role in the form of the public API. */
export function roleOf(row: RoleRow): Role {
  return {
    ...recordOf(row),
    name: row.name,
    description: row.description,
    permissions: [...grantOf(row).actions],
    is_system: row.is_system,
  }
}
