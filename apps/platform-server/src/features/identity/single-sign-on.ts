import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { readStartFile, StartError } from '@engine/process'
import { newToken, tokenHash } from '../../access/tokens.ts'
import type { Configuration } from '../../config/config.ts'
import { isEmail } from '../../config/value.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { failures, PlatformError } from '../../errors.ts'
import { type Account, accountById, createAccount } from './accounts.ts'
import type { Browser, SignedIn, SignIn } from './sign-in.ts'
import { type Claims, type Provider, ProviderAway, ProviderRefusal, createProvider } from './sso-provider.ts'

/** A started single sign-on flow. */
export interface Begun {
  /** The provider's URL to which the browser is redirected. */
  readonly location: string
  /** The token that ties the flow to the browser. */
  readonly binding: string
}

export interface SingleSignOn {
  /** @param returnTo path of the page to show afterwards. Throws 503 if the provider is unavailable */
  begin(returnTo: string | undefined): Promise<Begun>
  /** @param search query string of the callback. Throws 400 if the flow was not started in this browser */
  complete(
    search: string,
    binding: string | undefined,
    browser: Browser,
  ): Promise<{ readonly signedIn: SignedIn; readonly returnTo: string }>
}

/** Seconds within which a person must sign in at the provider. */
export const FLOW_SECONDS = 600

/** The redirect URI, without the public URL. */
export const CALLBACK_PATH = '/api/v1/auth/sso/callback'

/** Undefined without a configured provider. Throws `StartError`. The provider is first contacted at the first sign-in. */
export async function openSingleSignOn(
  { oidcIssuer, oidcClientId, oidcClientSecretFile: file }: Configuration,
  parts: Omit<SingleSignOnParts, 'provider'>,
): Promise<SingleSignOn | undefined> {
  if (oidcIssuer === undefined || oidcClientId === undefined || file === undefined) return undefined
  const secret = (await readStartFile('--oidc-client-secret-file', file)).toString().trim()
  if (secret === '') throw new StartError(`--oidc-client-secret-file: \`${file}\` is empty`)
  return createSingleSignOn({ ...parts, provider: createProvider(oidcIssuer, oidcClientId, secret) })
}

interface SingleSignOnParts {
  readonly database: Database
  readonly signIn: SignIn
  /** Includes the base path. */
  readonly publicUrl: () => string
  readonly provider: Provider
}

function createSingleSignOn({ database, signIn, publicUrl, provider }: SingleSignOnParts): SingleSignOn {
  const { tables } = database.unscoped
  const redirectUri = () => publicUrl() + CALLBACK_PATH
  return {
    async begin(returnTo) {
      const { location, state, verifier, nonce } = await answering(() => provider.begin(redirectUri()))
      const { text, hash } = newToken('sso')
      await tables
        .insertInto('sign_in_flows')
        .values({
          state_hash: digest(state),
          browser_hash: hash,
          code_verifier: verifier,
          nonce,
          return_to: localPath(returnTo),
          expires_at: new Date(Date.now() + FLOW_SECONDS * 1000),
        })
        .execute()
      return { location, binding: text }
    },
    async complete(search, binding, browser) {
      const state = new URLSearchParams(search).get('state') ?? ''
      const flow = await takeFlow(tables, state, binding)
      if (flow === undefined)
        throw failures.refused('the sign-in was not started in this browser, or has expired', 'sso')
      const { code_verifier: verifier, nonce, return_to } = flow
      const claims = await answering(() => provider.complete(redirectUri() + search, { verifier, nonce, state }))
      const signedIn = await database.unscoped.transaction(async (transaction) =>
        signIn.open(transaction, await accountOf(transaction, claims), browser),
      )
      return { signedIn, returnTo: publicUrl() + (return_to ?? '/') }
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** A path within this site, or null for anything else, such as `//elsewhere.example`. */
function localPath(text: string | undefined): string | null {
  return text !== undefined && text.length <= 500 && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : null
}

/** Take a flow. Each flow can be taken once, regardless of the outcome, and only by the browser that started it. */
async function takeFlow(tables: Kysely<Tables>, state: string, binding: string | undefined) {
  const flow = await tables
    .deleteFrom('sign_in_flows')
    .where('state_hash', '=', digest(state))
    .returningAll()
    .executeTakeFirst()
  const browser = binding === undefined ? undefined : tokenHash('sso', binding)
  if (flow === undefined || browser === undefined || !flow.browser_hash.equals(browser)) return undefined
  return flow.expires_at.getTime() > Date.now() ? flow : undefined
}

/** Translate errors of the provider into those of the platform. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProviderAway)
      throw new PlatformError('unavailable', 'the identity provider does not answer', {
        cause: error,
        retryAfterSeconds: 5,
      })
    if (error instanceof ProviderRefusal)
      throw failures.refused(`the response of the identity provider is invalid: ${error.message}`, 'sso')
    throw error
  }
}

/**
 * The account of an identity at the provider, created at its first sign-in. Issuer and subject make up the identity. An email
 * address never leads to an existing account, since the provider may reassign it to another person.
 */
async function accountOf({ tables }: Transaction, { issuer, subject, email, name }: Claims): Promise<Account> {
  const known = await tables
    .selectFrom('external_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (known !== undefined) return accountById(tables, known.user_id)
  const address = email?.toLowerCase()
  const usable =
    address !== undefined && isEmail(address)
      ? address
      : `${digest(`${issuer}\0${subject}`).toString('hex', 0, 12)}@sso.invalid`
  const account = await createAccount(tables, usable, name ?? usable, undefined)
  if (account === undefined)
    throw failures.conflict('duplicate', 'there is an account with this address: it signs in with its password')
  await tables.insertInto('external_identities').values({ issuer, subject, user_id: account.id }).execute()
  return account
}
