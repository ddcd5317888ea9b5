import { type Answer } from '@engine/http-server'
import { json } from '../../http/json-response.ts'
import { hashPassword } from '../../access/passwords.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Cookies } from '../../http/cookies.ts'
import { Empty, openRoute, personRoute, type Route } from '../../http/route.ts'
import { accountById, emailOf, nameOf, registerAccount } from './accounts.ts'
import { countAttempt } from './sign-in-attempts.ts'
import { browserOf, sessionCookies } from './browser.ts'
import {
  ChangePasswordRequest,
  LoginRequest,
  Registered,
  RegisterRequest,
  LinkPreview,
  LinkPreviewRequest,
  ResetAccepted,
  ResetRequest,
  SignedIn as SignedInBody,
  SignInOptions,
  TokenRequest,
} from './model.ts'
import { createOwnAccount, type OwnAccount } from './own-account.ts'
import { accountOfOneTimeToken } from './one-time-links.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import type { RequestReset } from './password-reset.ts'
import type { SignedIn, SignIn } from './sign-in.ts'

export interface IdentityParts {
  readonly database: Database
  readonly signIn: SignIn
  readonly cookies: Cookies
  readonly registration: boolean
  readonly requestReset: RequestReset
  readonly hasSingleSignOn: boolean
}

const COOKIE = { 'set-cookie': 'the session' } as const
const group = 'Identity'

/** Routes to sign in and out, register, and manage one's account. */
export function identityRoutes(parts: IdentityParts): readonly Route[] {
  const own = createOwnAccount(parts.database)
  return [
    ...signInRoutes(parts),
    ...signedInRoutes(parts, own),
    ...signInPageRoutes(parts),
    ...ownAccountRoutes(parts.database, own),
  ]
}

/** The ways to get a session or an account. */
function signInRoutes({ database, signIn, cookies, registration }: IdentityParts): readonly Route[] {
  const { tables } = database.unscoped
  return [
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/login',
      signsIn: true,
      right: 'none',
      summary: 'Sign in with a password',
      group,
      body: LoginRequest,
      answers: { 200: SignedInBody },
      answerHeaders: { 200: COOKIE },
      async handle(asked) {
        const { email, password } = asked.body
        return signedIn(cookies, await signIn.byPassword(email, password, browserOf(asked, asked.caller, cookies)))
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/token',
      signsIn: true,
      right: 'none',
      summary: 'Sign in with a one-time link and optionally set a password',
      group,
      body: TokenRequest,
      answers: { 200: SignedInBody },
      answerHeaders: { 200: COOKIE },
      hasConflicts: true,
      async handle(asked) {
        return signedIn(cookies, await signIn.byLink(asked.body, browserOf(asked, asked.caller, cookies)))
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/token/preview',
      signsIn: true,
      right: 'none',
      summary: 'Read the account of a one-time link',
      group,
      body: LinkPreviewRequest,
      answers: { 200: LinkPreview },
      async handle({ body }) {
        const found = await accountOfOneTimeToken(tables, body.token)
        if (found === undefined) throw failures.unauthorized('the link is unknown, used or expired: request a new one')
        return json(200, found)
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/register',
      signsIn: true,
      right: 'none',
      summary: 'Register an account, if the platform allows it',
      group,
      body: RegisterRequest,
      answers: { 201: Registered },
      async handle({ body, address }) {
        if (!registration) throw failures.forbidden('accounts are made by invitation here', 'registration')
        const [email, name] = [emailOf(body.email), nameOf(body.display_name)]
        await countAttempt(tables, `address:${address}`)
        const hash = await hashPassword(body.password)
        // The response must not reveal whether the address has an account; only a sign-in with the right password does.
        await registerAccount(tables, email, name, hash)
        return json(201, { email, display_name: name })
      },
    }),
  ]
}

function signedInRoutes({ database, signIn, cookies }: IdentityParts, own: OwnAccount): readonly Route[] {
  const { tables } = database.unscoped
  return [
    personRoute({
      method: 'POST',
      path: '/api/v1/auth/logout',
      signsIn: true,
      right: 'person',
      summary: 'Sign out',
      group,
      answers: { 204: Empty },
      async handle(asked) {
        const { caller } = asked
        await own.endSession(caller, caller.sessionId, asked)
        return { status: 204, cookies: [cookies.clear('session')] }
      },
    }),
    personRoute({
      method: 'POST',
      path: '/api/v1/auth/change-password',
      signsIn: true,
      right: 'person',
      summary: 'Change the password and end all other sessions',
      group,
      body: ChangePasswordRequest,
      answers: { 204: Empty },
      answerHeaders: { 204: COOKIE },
      async handle(asked) {
        const { current, next } = asked.body
        const account = await accountById(tables, asked.caller.id)
        const browser = browserOf(asked, asked.caller, cookies)
        const result = await signIn.changePassword(account, current, next, browser)
        return { status: 204, cookies: sessionCookies(result, cookies) }
      },
    }),
  ]
}

/** Further routes of the sign-in page. */
function signInPageRoutes({ registration, requestReset, hasSingleSignOn }: IdentityParts): readonly Route[] {
  return [
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/reset',
      signsIn: true,
      right: 'none',
      summary: 'Request a password reset link',
      group,
      body: ResetRequest,
      answers: { 202: ResetAccepted },
      async handle({ body }) {
        requestReset(emailOf(body.email))
        return json(202, { message: 'a link is sent to this address if it has an account' })
      },
    }),
    openRoute({
      method: 'GET',
      path: '/api/v1/auth/options',
      right: 'none',
      summary: 'List sign-in methods',
      group,
      answers: { 200: SignInOptions },
      handle: async () => json(200, { password: true, registration, sso: hasSingleSignOn }),
    }),
  ]
}

const signedIn = (cookies: Cookies, result: SignedIn): Answer => ({
  ...json(200, { user: result.user }),
  cookies: sessionCookies(result, cookies),
})
