import type { Kysely } from 'kysely'
import { isAction } from '../../access/actions.ts'
import { FLOWS_DOWN } from '../../access/membership.ts'
import type { KeyHolder } from '../../access/caller.ts'
import { tokenHash } from '../../access/tokens.ts'
import type { Tables } from '../../database/tables.ts'

/** Uses within it are not written. */
const NOTED_MS = 60_000

/** The holder of an API key that has not expired, which is used now. */
export async function holderOfKey(tables: Kysely<Tables>, token: string): Promise<KeyHolder | undefined> {
  const hash = tokenHash('key', token)
  if (hash === undefined) return undefined
  const row = await countingKeys(tables).where('k.token_hash', '=', hash).executeTakeFirst()
  const now = Date.now()
  if (row === undefined || (row.expires_at !== null && row.expires_at.getTime() <= now)) return undefined
  if (row.last_used_at === null || now - row.last_used_at.getTime() > NOTED_MS)
    await tables
      .updateTable('api_keys')
      .set({ last_used_at: new Date(now) })
      .where('org_id', '=', row.org_id)
      .where('id', '=', row.id)
      .execute()
  return {
    kind: 'key',
    id: row.id,
    name: row.name,
    orgId: row.org_id,
    userId: row.user_id,
    scopes: row.scopes.filter(isAction),
    projectIds: row.project_ids,
    environments: row.environments,
  }
}

/**
 * Keys that belong to their organization, or to a person who is a member there. Of a sub-organization that is also an owner or
 * admin of the parent, whose keys below do not go with the membership.
 */
const countingKeys = (tables: Kysely<Tables>) =>
  tables
    .selectFrom('api_keys as k')
    .selectAll('k')
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('k.user_id', 'is', null),
        exists(
          selectFrom('members as m')
            .select('m.id')
            .whereRef('m.org_id', '=', 'k.org_id')
            .whereRef('m.user_id', '=', 'k.user_id'),
        ),
        exists(
          selectFrom('organizations as o')
            .innerJoin('members as m', 'm.org_id', 'o.parent_org_id')
            .innerJoin('member_roles as mr', (join) =>
              join.onRef('mr.org_id', '=', 'm.org_id').onRef('mr.member_id', '=', 'm.id'),
            )
            .innerJoin('roles as r', (join) =>
              join.onRef('r.org_id', '=', 'mr.org_id').onRef('r.id', '=', 'mr.role_id'),
            )
            .select('m.id')
            .whereRef('o.org_id', '=', 'k.org_id')
            .whereRef('m.user_id', '=', 'k.user_id')
            .where('r.is_system', '=', true)
            .where('r.name', 'in', FLOWS_DOWN),
        ),
      ]),
    )
