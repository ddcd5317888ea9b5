import { randomUUIDv7 } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isEmail } from '../../config/value.ts'
import { failures } from '../../errors.ts'
import type { User } from './model.ts'

/** An account as it is stored. */
export type Account = Selectable<Tables['users']>

/** An account as the interface shows it. */
export function userOf({ id, email, display_name, last_login }: Omit<Account, 'password_hash'>): User {
  return { id, email, display_name, last_login: last_login?.toISOString() ?? null }
}

/** An address of mail in the one form in which it is stored. Throws `HttpError`. */
export function emailOf(text: string): string {
  const email = text.trim().toLowerCase()
  if (!isEmail(email)) throw failures.invalid('/email', 'is no address of mail', 'email')
  return email
}

/** A text that PostgreSQL can store and a page can show: no control characters. Throws `HttpError`. */
export function nameOf(text: string, path = '/display_name'): string {
  const name = text.trim()
  if (name === '' || /\p{Cc}/u.test(name))
    throw failures.invalid(path, 'must have characters, and no control characters')
  return name
}

export function accountByEmail(tables: Kysely<Tables>, email: string): Promise<Account | undefined> {
  return tables.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export function accountById(tables: Kysely<Tables>, id: string): Promise<Account> {
  return tables.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Make an account; undefined: its address has one already. @param passwordHash undefined: it signs in otherwise */
export function createAccount(
  tables: Kysely<Tables>,
  email: string,
  displayName: string,
  passwordHash: string | undefined,
): Promise<Account | undefined> {
  return tables
    .insertInto('users')
    .values({ id: randomUUIDv7(), email, display_name: displayName, password_hash: passwordHash ?? null })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Make an account where its address has none. Either way a row is written and synced: the time of the answer must not tell
 * which.
 */
export async function registerAccount(
  tables: Kysely<Tables>,
  email: string,
  displayName: string,
  passwordHash: string,
): Promise<void> {
  await tables
    .insertInto('users')
    .values({ id: randomUUIDv7(), email, display_name: displayName, password_hash: passwordHash })
    .onConflict((conflict) => conflict.column('email').doUpdateSet((eb) => ({ email: eb.ref('users.email') })))
    .execute()
}

/** Change an account. A new password ends all sessions: those that are to go on are opened anew. */
export function changeAccount(
  tables: Kysely<Tables>,
  id: string,
  change: { readonly email?: string; readonly display_name?: string; readonly password_hash?: string },
): Promise<Account> {
  return tables
    .updateTable('users')
    .set((eb) => ({
      ...change,
      ...(change.password_hash === undefined ? {} : { auth_epoch: eb('auth_epoch', '+', 1) }),
      updated_at: new Date(),
      rev: eb('rev', '+', 1),
    }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
