import { chmod, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { makeDirectory, starting } from '@engine/process'
import type { Database } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { accountByEmail, createAccount } from './accounts.ts'
import { linkOf, newOneTimeToken } from './one-time-links.ts'

/** A new administrator's account, or one that exists. */
async function administrator(tables: Kysely<Tables>, email: string): Promise<string> {
  const known =
    (await createAccount(tables, email, 'Administrator', undefined)) ?? (await accountByEmail(tables, email))
  if (known === undefined) throw new Error('an account that exists was not found')
  return known.id
}

/** The token of a link for an administrator, whose account is made when it does not exist. */
export async function administratorToken(database: Database, email: string): Promise<string> {
  return database.unscoped.transaction(async ({ tables }) =>
    newOneTimeToken(tables, await administrator(tables, email), 'sign-in'),
  )
}

/**
 * The token of the first sign-in, a new one at each start until the first person has signed in; undefined: one has. Of
 * several replicas that start at once, the link of the last one counts.
 */
export async function firstToken(database: Database, email: string): Promise<string | undefined> {
  const { tables } = database.unscoped
  const used = await tables.selectFrom('users').select('id').where('last_login', 'is not', null).executeTakeFirst()
  return used === undefined ? administratorToken(database, email) : undefined
}

const FILE = 'first-sign-in.url'

/** Write the link where only the user of the process can read it. Throws `StartError`. */
export async function writeFirstLink(dataDir: string, publicUrl: string, token: string): Promise<string> {
  const link = linkOf(publicUrl, token)
  const file = join(dataDir, FILE)
  await starting('--data-dir', file, async () => {
    await makeDirectory(resolve(dataDir), 0o700)
    // A file that is there keeps its mode when it is written.
    await rm(file, { force: true })
    await writeFile(file, `${link}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(file, 0o600)
  })
  return link
}

/** The link was used, or is void. */
export async function removeFirstLink(dataDir: string): Promise<void> {
  await rm(join(dataDir, FILE), { force: true })
}
