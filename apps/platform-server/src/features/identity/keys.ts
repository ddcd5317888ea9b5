import type { Kysely } from 'kysely'
import { isAction } from '../../access/actions.ts'
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
