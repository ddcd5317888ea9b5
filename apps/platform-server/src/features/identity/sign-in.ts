import { isPassword, hashPassword } from '../../access/passwords.ts'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { Kysely } from 'kysely'
import type { Database, Transaction } from '../../database/database.ts'
import { duplicateOf } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Background } from '../../jobs/background.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { type Account, accountByEmail, changeAccount, emailOf, nameOf, userOf } from './accounts.ts'
import { countAttempt, forgetAttempts, type Subject } from './sign-in-attempts.ts'
import type { TokenRequest, User } from './model.ts'
import { useOneTimeToken } from './one-time-links.ts'
import { openSession, type Origin } from './sessions.ts'
import { auditAccount } from './sign-in-audit.ts'

/** The browser of a sign-in. */
export interface Browser extends Origin {
  readonly requestId: string
  /** Its present session, which ends. */
  readonly sessionId: string | undefined
  /** The cookie of a browser that has signed in before. */
  readonly device: string | undefined
}

/** The tokens of a new session. */
export interface SignedIn {
  readonly user: User
  readonly session: string
  /** Undefined: the browser keeps its cookie. */
  readonly device: string | undefined
}

/** The ways to open a session. */
export interface SignIn {
  /** Throws 401 for an unknown account and for a wrong password, after the same time; 429. */
  byPassword(email: string, password: string, browser: Browser): Promise<SignedIn>
  /** Sign in with a one-time link, which may also set the missing password or name. Throws 401. */
  byLink(request: TokenRequest, browser: Browser): Promise<SignedIn>
  /** Open a session, within a transaction, for an account whose identity was verified otherwise. */
  open(transaction: Transaction, account: Account, browser: Browser): Promise<SignedIn>
  /** Throws 403 for a wrong password, 429. The browser receives a new session, and all others end. */
  changePassword(account: Account, current: string, next: string, browser: Browser): Promise<SignedIn>
}

export function createSignIn({ unscoped }: Database, metrics: Metrics, background: Background): SignIn {
  const { tables } = unscoped

  async function open(transaction: Transaction, account: Account, browser: Browser): Promise<SignedIn> {
    const { sessionId, device } = browser
    if (sessionId !== undefined) await transaction.tables.deleteFrom('sessions').where('id', '=', sessionId).execute()
    const user = await transaction.tables
      .updateTable('users')
      .set({ last_login: new Date() })
      .where('id', '=', account.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const session = await openSession(transaction.tables, user, browser)
    await auditAccount(transaction, 'signed_in', { user, address: browser.address, requestId: browser.requestId })
    return { user: userOf(user), session: session.token, device: await markDevice(transaction, user.id, device) }
  }

  function refused(account: Account, { address, requestId }: Browser): void {
    background.run('the audit of a refused sign-in', () =>
      unscoped.transaction((transaction) =>
        auditAccount(transaction, 'signed_in_failed', { user: account, address, requestId }),
      ),
    )
  }

  return {
    open,
    async byPassword(text, password, browser) {
      const email = text.trim().toLowerCase()
      const account = await accountByEmail(tables, email)
      const isRight = await attempted(tables, metrics, email, browser, () =>
        isPassword(account?.password_hash ?? undefined, password),
      )
      if (account === undefined || !isRight) {
        metrics.signedIn('password', 'refused')
        // Runs after the response, whose time must not reveal whether the account exists.
        if (account !== undefined) refused(account, browser)
        throw failures.unauthorized('address or password is wrong')
      }
      metrics.signedIn('password', 'ok')
      return unscoped.transaction((transaction) => open(transaction, account, browser))
    },
    async byLink({ token, password, email, display_name }, browser) {
      const change = {
        ...(email === undefined ? {} : { email: emailOf(email) }),
        ...(display_name === undefined ? {} : { display_name: nameOf(display_name) }),
        ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
      }
      try {
        const signedIn = await unscoped.transaction(async (transaction) => {
          const used = await useOneTimeToken(transaction.tables, token)
          if (used === undefined) throw failures.unauthorized('the link is unknown, used or expired: request a new one')
          return open(transaction, await changeAccount(transaction.tables, used.userId, change), browser)
        })
        metrics.signedIn('link', 'ok')
        return signedIn
      } catch (error) {
        metrics.signedIn('link', 'refused')
        if (duplicateOf(error) === 'users_email_key')
          throw failures.conflict('duplicate', 'another account has this address')
        throw error
      }
    },
    async changePassword(account, current, next, browser) {
      const isRight = await attempted(tables, metrics, account.email, browser, () =>
        isPassword(account.password_hash ?? undefined, current),
      )
      if (!isRight) throw failures.forbidden('the current password is wrong', 'password')
      const password_hash = await hashPassword(next)
      return unscoped.transaction(async (transaction) => {
        const changed = await changeAccount(transaction.tables, account.id, { password_hash })
        await transaction.tables.deleteFrom('sessions').where('user_id', '=', account.id).execute()
        const { address, requestId } = browser
        await auditAccount(transaction, 'updated', {
          user: account,
          address,
          requestId,
          after: { password: 'changed' },
        })
        return open(transaction, changed, browser)
      })
    },
  }
}

/**
 * The subject of an attempt: a browser that has signed in to this account before, or strangers. Strangers use up only their
 * own attempts, so that they cannot lock out a known browser.
 */
async function subjectOf(tables: Kysely<Tables>, email: string, device: string | undefined): Promise<Subject> {
  const hash = device === undefined ? undefined : tokenHash('dev', device)
  if (hash === undefined) return `account:${email}`
  const known = await tables
    .selectFrom('known_devices as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .select('d.user_id')
    .where('d.token_hash', '=', hash)
    .where('u.email', '=', email)
    .executeTakeFirst()
  return known === undefined ? `account:${email}` : `device:${hash.toString('hex')}`
}

/** Check a password after its attempt is counted. Throws 429. */
async function attempted(
  tables: Kysely<Tables>,
  metrics: Metrics,
  email: string,
  browser: Browser,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const address: Subject = `address:${browser.address}`
  const own = await subjectOf(tables, email, browser.device)
  try {
    // Known browsers are exempt from the limit per address, which a whole company may share.
    if (own.startsWith('account:')) await countAttempt(tables, address)
    await countAttempt(tables, own)
  } catch (error) {
    metrics.signedIn('password', 'limited')
    throw error
  }
  const isRight = await check()
  if (isRight) await forgetAttempts(tables, own, own.startsWith('account:') ? address : undefined)
  return isRight
}

/** Remember the browser, so that its next attempts do not count as those of strangers. */
async function markDevice(
  { tables }: Transaction,
  userId: string,
  device: string | undefined,
): Promise<string | undefined> {
  const hash = device === undefined ? undefined : tokenHash('dev', device)
  if (hash !== undefined) {
    const known = await tables
      .updateTable('known_devices')
      .set({ last_used_at: new Date() })
      .where('token_hash', '=', hash)
      .where('user_id', '=', userId)
      .returning('user_id')
      .executeTakeFirst()
    if (known !== undefined) return undefined
  }
  const made = newToken('dev')
  await tables.insertInto('known_devices').values({ token_hash: made.hash, user_id: userId }).execute()
  return made.text
}
