import type { Kysely, Selectable } from 'kysely'
import { type Action, isAction } from '../../access/actions.ts'
import { actionsIn } from '../../access/membership.ts'
import type { KeyHolder } from '../../access/caller.ts'
import { tokenHash } from '../../access/tokens.ts'
import type { Tables } from '../../database/tables.ts'

/** Uses within it are not written. */
const NOTED_MS = 60_000

/** The holder of an API key that has not expired, which is used now. */
export async function holderOfKey(tables: Kysely<Tables>, token: string): Promise<KeyHolder | undefined> {
  const hash = tokenHash('key', token)
  if (hash === undefined) return undefined
  const row = await tables.selectFrom('api_keys').selectAll().where('token_hash', '=', hash).executeTakeFirst()
  const now = Date.now()
  if (row === undefined || (row.expires_at !== null && row.expires_at.getTime() <= now)) return undefined
  const scopes = await scopesOf(tables, row)
  if (scopes === undefined) return undefined
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
    scopes,
    projectIds: row.project_ids,
    environments: row.environments,
  }
}

/**
 * What a key may do now: its scopes, of those of a member the ones that its author still holds. Undefined: its author is no
 * member any more. Keys of sub-organizations that an owner or admin of the parent has made end with that role.
 */
async function scopesOf(
  tables: Kysely<Tables>,
  { scopes, user_id, org_id }: Pick<Selectable<Tables['api_keys']>, 'scopes' | 'user_id' | 'org_id'>,
): Promise<readonly Action[] | undefined> {
  const known = scopes.filter(isAction)
  if (user_id === null) return known
  const held = await actionsIn(tables, user_id, org_id)
  return held && known.filter((action) => held.has(action))
}
