import { randomUUIDv7 } from 'node:crypto'
import type { Kysely } from 'kysely'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { Tables } from '../../database/tables.ts'

const DAY_MS = 24 * 3600 * 1000

type Purpose = Tables['one_time_tokens']['purpose']

/** Create the token of a one-time link, valid for 24 h. Earlier tokens with the same purpose and account become void. */
export async function newOneTimeToken(tables: Kysely<Tables>, userId: string, purpose: Purpose): Promise<string> {
  const { text, hash } = newToken('otl')
  await tables.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute()
  await tables
    .insertInto('one_time_tokens')
    .values({
      id: randomUUIDv7(),
      token_hash: hash,
      purpose,
      user_id: userId,
      expires_at: new Date(Date.now() + DAY_MS),
    })
    .execute()
  return text
}

/** Redeem a token; undefined if it is unknown, used or expired. Only one of two concurrent uses succeeds. */
export async function useOneTimeToken(
  tables: Kysely<Tables>,
  token: string,
): Promise<{ readonly userId: string; readonly purpose: Purpose } | undefined> {
  const hash = tokenHash('otl', token)
  if (hash === undefined) return undefined
  const now = new Date()
  const used = await tables
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('token_hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['user_id', 'purpose'])
    .executeTakeFirst()
  return used && { userId: used.user_id, purpose: used.purpose }
}

/** The account of a token, without redeeming it; undefined if the token is unknown, used or expired. */
export async function accountOfOneTimeToken(tables: Kysely<Tables>, token: string) {
  const hash = tokenHash('otl', token)
  if (hash === undefined) return undefined
  return tables
    .selectFrom('one_time_tokens')
    .innerJoin('users', 'users.id', 'one_time_tokens.user_id')
    .select(['users.email', 'users.display_name', 'one_time_tokens.purpose'])
    .where('one_time_tokens.token_hash', '=', hash)
    .where('one_time_tokens.used_at', 'is', null)
    .where('one_time_tokens.expires_at', '>', new Date())
    .executeTakeFirst()
}

/** The URL of the page that redeems a token. The token is in the fragment, which browsers never send to a server. */
export const linkOf = (publicUrl: string, token: string) => `${publicUrl}/sign-in#token=${token}`
