import type { Kysely, Selectable } from 'kysely'
import { type Action, isAction } from '../../access/actions.ts'
import { actionsIn } from '../../access/membership.ts'
import type { KeyHolder } from '../../access/caller.ts'
import { tokenHash } from '../../access/tokens.ts'
import { RIGHTS_TOPIC, rightsTopic } from '../../access/rights-topic.ts'
import type { Database } from '../../database/database.ts'
import { createStaleCache } from '../../database/stale-cache.ts'
import type { Tables } from '../../database/tables.ts'

/** Milliseconds in which further uses are not recorded. */
const USE_RECORDING_INTERVAL_MS = 60_000

/** The holder of an API key that has not expired; records the use. */
export async function holderOfKey(tables: Kysely<Tables>, token: string): Promise<KeyHolder | undefined> {
  const hash = tokenHash('key', token)
  const key = hash && (await readKey(tables, hash))
  if (key === undefined || hasExpired(key)) return undefined
  if (isUseNoted(key)) return key.holder
  await noteUse(tables, key)
  return key.holder
}

/** An API key as stored. */
interface StoredKey {
  readonly holder: KeyHolder
  readonly expiresAt: number | undefined
  /** Milliseconds since 1970; 0 for an unused key. */
  lastUsedAt: number
  /** The parent of the key's organization, if any. */
  readonly parentOrgId: string | null
}

const hasExpired = ({ expiresAt }: StoredKey) => expiresAt !== undefined && expiresAt <= Date.now()
const isUseNoted = ({ lastUsedAt }: StoredKey) => Date.now() - lastUsedAt <= USE_RECORDING_INTERVAL_MS

async function readKey(tables: Kysely<Tables>, hash: Buffer): Promise<StoredKey | undefined> {
  const row = await tables
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.org_id', 'k.org_id')
    .selectAll('k')
    .select('o.parent_org_id')
    .where('k.token_hash', '=', hash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const scopes = await scopesOf(tables, row)
  if (scopes === undefined) return undefined
  return {
    holder: {
      kind: 'key',
      id: row.id,
      name: row.name,
      orgId: row.org_id,
      userId: row.user_id,
      scopes,
      projectIds: row.project_ids,
      environments: row.environments,
    },
    expiresAt: row.expires_at?.getTime(),
    lastUsedAt: row.last_used_at?.getTime() ?? 0,
    parentOrgId: row.parent_org_id,
  }
}

async function noteUse(tables: Kysely<Tables>, key: StoredKey): Promise<void> {
  key.lastUsedAt = Date.now()
  await tables
    .updateTable('api_keys')
    .set({ last_used_at: new Date(key.lastUsedAt) })
    .where('org_id', '=', key.holder.orgId)
    .where('id', '=', key.holder.id)
    .execute()
}

/** Milliseconds before a key is read again. Notifications announce a revocation immediately; this limit covers lost ones. */
const REFRESH_INTERVAL_MS = 2000
/** Limits of the cache: number of keys, and bytes. */
const [MAX_KEYS, MAX_KEYS_BYTES] = [10_000, 16 * 1024 * 1024] as const
/** Bytes of a key without its lists. */
const KEY_BYTES = 500

/** A cache of API key holders, for decisions. */
export interface KnownKeys {
  /**
   * The holder of an API key that has not expired; undefined for an unknown key. Rejects if the database is unavailable and
   * the key is not cached, or its rights are known to have changed.
   */
  holderOf(token: string): Promise<KeyHolder | undefined>
  close(): void
}

/**
 * Caches API keys by the hash of their token; the token itself is not kept.
 *
 * @param keptMs milliseconds that a key stays valid while the database is unavailable
 * @param servedStale called for each use of such a key
 */
export function createKnownKeys(
  { decisions, unscoped, wakes }: Pick<Database, 'decisions' | 'unscoped' | 'wakes'>,
  keptMs: number,
  servedStale: () => void,
): KnownKeys {
  const known = createStaleCache<Buffer, StoredKey>({
    read: (hash) => readKey(decisions.tables, hash),
    keyOf: (hash) => hash.toString('base64'),
    topicOfRead: () => RIGHTS_TOPIC,
    topicsOf: ({ holder, parentOrgId }) =>
      [holder.orgId, ...(parentOrgId === null ? [] : [parentOrgId])].map(rightsTopic),
    servesChanged: false,
    servedStale,
    bytesOf: ({ holder: { scopes, projectIds, environments } }) =>
      KEY_BYTES + 2 * [...scopes, ...(projectIds ?? []), ...(environments ?? [])].join().length,
    wakes,
    freshMs: REFRESH_INTERVAL_MS,
    keptMs,
    maxEntries: MAX_KEYS,
    maxBytes: MAX_KEYS_BYTES,
    now: () => performance.now(),
  })
  return {
    async holderOf(token) {
      const hash = tokenHash('key', token)
      const key = hash && (await known.read(hash))
      if (key === undefined || hasExpired(key)) return undefined
      // Decisions do not wait for this write. After a failure, the first use a minute later writes again.
      if (!isUseNoted(key)) noteUse(unscoped.tables, key).catch(() => {})
      return key.holder
    },
    close: () => known.close(),
  }
}

/**
 * The current actions of a key: its scopes and, for a member's key, only those that its author still holds. Undefined once
 * the author is no longer a member. Keys in sub-organizations that an owner or admin of the parent created lose their actions
 * with that role.
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
