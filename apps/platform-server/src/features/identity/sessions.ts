import { randomUUIDv7 } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Person } from '../../access/caller.ts'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { Tables } from '../../database/tables.ts'

const MINUTE_MS = 60_000
/** Milliseconds without use before a session ends. */
const IDLE_TIMEOUT_MS = 12 * 60 * MINUTE_MS
/** Maximum lifetime of a session, in seconds. */
export const SESSION_SECONDS = 7 * 24 * 3600
/** Milliseconds in which further uses are not recorded: a write per request would be the most frequent write of all. */
const USE_RECORDING_INTERVAL_MS = MINUTE_MS

/** The origin of a sign-in. */
export interface Origin {
  readonly address: string
  readonly userAgent: string | undefined
}

/**
 * Open a session. The token is always new: a token that the browser sends is never adopted, which prevents session fixation.
 */
export async function openSession(
  tables: Kysely<Tables>,
  user: { readonly id: string; readonly auth_epoch: number },
  { address, userAgent }: Origin,
): Promise<{ readonly id: string; readonly token: string }> {
  const { text, hash, prefix } = newToken('ses')
  const id = randomUUIDv7()
  await tables
    .insertInto('sessions')
    .values({
      id,
      token_hash: hash,
      prefix,
      user_id: user.id,
      auth_epoch: user.auth_epoch,
      expires_at: new Date(Date.now() + SESSION_SECONDS * 1000),
      ip: address,
      user_agent: userAgent?.slice(0, 300) ?? null,
    })
    .execute()
  return { id, token: text }
}

/** The person of an active session; records the use. */
export async function personOfSession(tables: Kysely<Tables>, token: string): Promise<Person | undefined> {
  const hash = tokenHash('ses', token)
  if (hash === undefined) return undefined
  const row = await tables
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as session', 's.last_used_at', 's.expires_at', 'u.id', 'u.email', 'u.display_name'])
    .where('s.token_hash', '=', hash)
    .whereRef('s.auth_epoch', '=', 'u.auth_epoch')
    .executeTakeFirst()
  const now = Date.now()
  if (row === undefined || !isAlive(row, now)) return undefined
  if (now - row.last_used_at.getTime() > USE_RECORDING_INTERVAL_MS)
    await tables
      .updateTable('sessions')
      .set({ last_used_at: new Date(now) })
      .where('id', '=', row.session)
      .execute()
  return { kind: 'user', id: row.id, email: row.email, displayName: row.display_name, sessionId: row.session }
}

function isAlive({ last_used_at, expires_at }: { last_used_at: Date; expires_at: Date }, now: number): boolean {
  return expires_at.getTime() > now && now - last_used_at.getTime() <= IDLE_TIMEOUT_MS
}

/** The active sessions of a person, the newest first. */
export async function sessionsOf(tables: Kysely<Tables>, userId: string) {
  const rows = await tables
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.created_at', 's.last_used_at', 's.expires_at', 's.ip', 's.user_agent'])
    .where('s.user_id', '=', userId)
    .whereRef('s.auth_epoch', '=', 'u.auth_epoch')
    .orderBy('s.id', 'desc')
    .execute()
  const now = Date.now()
  return rows.filter((row) => isAlive(row, now))
}

/** End one session of a person; returns whether it existed. */
export async function endSession(tables: Kysely<Tables>, userId: string, id: string): Promise<boolean> {
  const ended = await tables
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
}

/** End all sessions of a person except one; returns their number. */
export async function endOtherSessions(tables: Kysely<Tables>, userId: string, kept: string): Promise<number> {
  const ended = await tables
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '!=', kept)
    .returning('id')
    .execute()
  return ended.length
}
