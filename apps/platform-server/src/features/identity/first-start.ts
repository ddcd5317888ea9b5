import { chmod, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { makeDirectory, starting } from '@engine/process'
import type { Database } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { accountByEmail, createAccount } from './accounts.ts'
import { linkOf, newOneTimeToken } from './one-time-links.ts'

/** The ID of the administrator's account, which is created if needed. */
async function administrator(tables: Kysely<Tables>, email: string): Promise<string> {
  const known =
    (await createAccount(tables, email, 'Administrator', undefined)) ?? (await accountByEmail(tables, email))
  if (known === undefined) throw new Error('an account that exists was not found')
  return known.id
}

/** The token of a sign-in link for an administrator, whose account is created if needed. */
export async function administratorToken(database: Database, email: string): Promise<string> {
  return database.unscoped.transaction(async ({ tables }) =>
    newOneTimeToken(tables, await administrator(tables, email), 'sign-in'),
  )
}

/**
 * The token of the first sign-in. Each start issues a new one until a person has signed in; undefined afterwards. If several
 * replicas start concurrently, the last link is valid.
 */
export async function firstToken(database: Database, email: string): Promise<string | undefined> {
  const { tables } = database.unscoped
  const used = await tables.selectFrom('users').select('id').where('last_login', 'is not', null).executeTakeFirst()
  return used === undefined ? administratorToken(database, email) : undefined
}

const FILE = 'first-sign-in.url'

/** Write the link to a file readable only by the user of the process. Throws `StartError`. */
export async function writeFirstLink(dataDir: string, publicUrl: string, token: string): Promise<string> {
  const link = linkOf(publicUrl, token)
  const file = join(dataDir, FILE)
  await starting('--data-dir', file, async () => {
    await makeDirectory(resolve(dataDir), 0o700)
    // Overwriting would keep the mode of an existing file.
    await rm(file, { force: true })
    await writeFile(file, `${link}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(file, 0o600)
  })
  return link
}

/** Delete the file once the link is used or void. */
export async function removeFirstLink(dataDir: string): Promise<void> {
  await rm(join(dataDir, FILE), { force: true })
}
