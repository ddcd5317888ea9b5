import type { Caller } from '../../access/caller.ts'
import { membershipsOf, organizationsAround } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { accountById, userOf } from './accounts.ts'
import type { Me, MyOrganization } from './model.ts'
import type { Static } from 'typebox'

/** Describe the caller of a request, and the organizations in which it may act. */
export async function describeCaller(database: Database, caller: Caller): Promise<Static<typeof Me>> {
  const { tables } = database.unscoped
  const organizations = await organizationsOf(database, caller)
  if (caller.kind === 'user')
    return { user: userOf(await accountById(tables, caller.id)), key: null, organizations: [...organizations] }
  const { id, name, orgId, scopes, projectIds, environments } = caller
  const key = {
    id,
    name,
    org_id: orgId,
    scopes: [...scopes],
    project_ids: projectIds && [...projectIds],
    environments: environments && [...environments],
  }
  return { user: null, key, organizations: [...organizations] }
}

async function organizationsOf(database: Database, caller: Caller): Promise<readonly MyOrganization[]> {
  const { tables } = database.unscoped
  const around = caller.kind === 'user' ? await organizationsAround(tables, caller.id) : [caller.orgId]
  if (around.length === 0) return []
  const members = await membershipsOf(database, caller, around)
  const found = await tables
    .selectFrom('organizations')
    .select(['org_id', 'name', 'parent_org_id'])
    .where('org_id', 'in', around)
    .orderBy('name')
    .orderBy('org_id')
    .execute()
  return found.flatMap(({ org_id, name, parent_org_id }) => {
    const member = members.get(org_id)
    // Members of the parent whose roles do not flow down are not members here.
    if (member === undefined) return []
    const { roles, permissions } = member
    return { id: org_id, name, parent_org_id, my_roles: [...roles], my_permissions: [...permissions] }
  })
}
