import type { Caller } from '../../access/caller.ts'
import { memberOf } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { accountById, userOf } from './accounts.ts'
import type { Me, MyOrganization } from './model.ts'
import type { Static } from 'typebox'

/** Who sends a request, and where it may act. */
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
  const found = caller.kind === 'user' ? await ofPerson(database, caller.id) : await ofKey(database, caller.orgId)
  const shown = await Promise.all(
    found.map(async ({ org_id, name, parent_org_id }) => {
      const member = await memberOf(database, caller, org_id)
      // Members of the parent whose roles do not flow down are none here.
      if (member === undefined) return undefined
      return { id: org_id, name, parent_org_id, my_roles: [...member.roles], my_permissions: [...member.permissions] }
    }),
  )
  return shown.filter((one) => one !== undefined)
}

const ofKey = ({ unscoped }: Database, org: OrgId) =>
  unscoped.tables
    .selectFrom('organizations')
    .select(['org_id', 'name', 'parent_org_id'])
    .where('org_id', '=', org)
    .execute()

/** The organizations of a person, and those below them. */
const ofPerson = ({ unscoped }: Database, userId: string) =>
  unscoped.tables
    .selectFrom('organizations as o')
    .innerJoin('members as m', (join) =>
      join.on((eb) => eb.or([eb('m.org_id', '=', eb.ref('o.org_id')), eb('m.org_id', '=', eb.ref('o.parent_org_id'))])),
    )
    .select(['o.org_id', 'o.name', 'o.parent_org_id'])
    .distinct()
    .where('m.user_id', '=', userId)
    .where('m.status', '=', 'active')
    .orderBy('o.name')
    .orderBy('o.org_id')
    .execute()
