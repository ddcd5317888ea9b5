import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@engine/process'
import type { Database } from '../../database/database.ts'
import { PlatformError } from '../../errors.ts'
import type { Background } from '../../jobs/background.ts'
import type { Mail } from '../../mail/mail.ts'
import { nameInMail } from '../../mail/user-text.ts'
import { type Account, accountByEmail } from './accounts.ts'
import { countAttempt } from './sign-in-attempts.ts'
import { linkOf, newOneTimeToken } from './one-time-links.ts'

export interface ResetParts {
  readonly database: Database
  /** Undefined: links are written to files. */
  readonly mail: Mail | undefined
  readonly dataDir: string
  readonly publicUrl: () => string
  readonly background: Background
  readonly log: Log
}

/**
 * Send a password reset link to an address. Works in the background and returns nothing, so that a caller learns neither
 * whether an account exists nor whether the limit is exceeded.
 */
export type RequestReset = (email: string) => void

export function createReset({ database, mail, dataDir, publicUrl, background, log }: ResetParts): RequestReset {
  const { tables } = database.unscoped

  async function reset(email: string): Promise<void> {
    if (await isLimited(() => countAttempt(tables, `reset:${email}`))) return
    const account = await accountByEmail(tables, email)
    if (account === undefined) return
    const token = await database.unscoped.transaction((transaction) =>
      newOneTimeToken(transaction.tables, account.id, 'reset'),
    )
    const link = linkOf(publicUrl(), token)
    if (mail === undefined) await show(account, link)
    else await mail.send(email, 'Set a new password', textOf(account, link))
  }

  /**
   * If no mail server is configured, the administrator of the machine passes the link on; the log contains only the path of
   * its file.
   */
  async function show({ id }: Account, link: string): Promise<void> {
    const folder = join(dataDir, 'reset-links')
    const file = join(folder, `${id}.url`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rm(file, { force: true })
    await writeFile(file, `${link}\n`, { mode: 0o600, flag: 'wx' })
    log.warn(
      { user: id, file },
      'a password reset was requested: the link is in the file, since no mail server is configured',
    )
  }

  return (email) => background.run('sending the link for a new password', () => reset(email))
}

async function isLimited(count: () => Promise<void>): Promise<boolean> {
  try {
    await count()
    return false
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'too-many-requests') return true
    throw error
  }
}

const textOf = ({ display_name }: Account, link: string) =>
  `Hello ${nameInMail(display_name)},

someone requested a new password for your account. Set it here within 24 hours; the link works once:

${link}

If it was not you, ignore this message: your password has not changed.
`
