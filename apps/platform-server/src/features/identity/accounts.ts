import { randomUUIDv7 } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isEmail } from '../../config/value.ts'
import { failures } from '../../errors.ts'
import type { User } from './model.ts'

/** An account as stored. */
export type Account = Selectable<Tables['users']>

/** An account in the form of the public API. */
export function userOf({ id, email, display_name, last_login }: Omit<Account, 'password_hash'>): User {
  return { id, email, display_name, last_login: last_login?.toISOString() ?? null }
}

/** Validate and normalize an email address. Throws `HttpError`. */
export function emailOf(text: string): string {
  const email = text.trim().toLowerCase()
  if (!isEmail(email)) throw failures.invalid('/email', 'is not an email address', 'email')
  return email
}

/**
 * Validate a name: PostgreSQL must be able to store it, and pages to display it, so control characters are refused. Throws
 * `HttpError`.
 */
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

/** Create an account; undefined if the address has one. @param passwordHash undefined for an account without a password */
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
 * Create an account unless the address has one. Both cases write and sync a row, so that the response time does not reveal
 * which one applied.
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

/** Change an account. A new password ends all sessions; the caller opens a new one where needed. */
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
