import { type Answer, json } from '@engine/http-server'
import type { Static } from 'typebox'
import type { Person } from '../../access/caller.ts'
import { hashPassword } from '../../access/passwords.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Cookies } from '../../http/cookies.ts'
import { ListOf, listed, listQuery, pageIn, pageOf } from '../../http/paging.ts'
import { callerRoute, Empty, openRoute, personRoute, type Route } from '../../http/route.ts'
import { accountById, changeAccount, createAccount, emailOf, nameOf } from './accounts.ts'
import { countAttempt } from './attempts.ts'
import { browserOf, sessionCookies } from './browser.ts'
import { describeCaller } from './me.ts'
import {
  ChangePasswordRequest,
  LoginRequest,
  Me,
  MeChange,
  Registered,
  RegisterRequest,
  ResetAccepted,
  ResetRequest,
  Session,
  SignedIn as SignedInBody,
  SignInOptions,
  TokenRequest,
} from './model.ts'
import { endOtherSessions, endSession, sessionsOf } from './sessions.ts'
import type { RequestReset } from './reset.ts'
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

/** Signing in and out, and what a person may do with the own account. */
export function identityRoutes({
  database,
  signIn,
  cookies,
  registration,
  requestReset,
  hasSingleSignOn,
}: IdentityParts): readonly Route[] {
  const { tables } = database.unscoped
  const signedIn = (result: SignedIn): Answer => ({
    ...json(200, { user: result.user }),
    cookies: sessionCookies(result, cookies),
  })

  return [
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/login',
      right: 'none',
      summary: 'Sign in with a password',
      group,
      body: LoginRequest,
      answers: { 200: SignedInBody },
      answerHeaders: { 200: COOKIE },
      async handle(asked) {
        const { email, password } = asked.body
        return signedIn(await signIn.byPassword(email, password, browserOf(asked, asked.caller, cookies)))
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/token',
      right: 'none',
      summary: 'Sign in with a one-time link, and set a password',
      group,
      body: TokenRequest,
      answers: { 200: SignedInBody },
      answerHeaders: { 200: COOKIE },
      hasConflicts: true,
      async handle(asked) {
        return signedIn(await signIn.byLink(asked.body, browserOf(asked, asked.caller, cookies)))
      },
    }),
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/register',
      right: 'none',
      summary: 'Make an account, where the platform allows it',
      group,
      body: RegisterRequest,
      answers: { 201: Registered },
      async handle({ body, address }) {
        if (!registration) throw failures.forbidden('accounts are made by invitation here', 'registration')
        const [email, name] = [emailOf(body.email), nameOf(body.display_name)]
        await countAttempt(tables, `address:${address}`)
        const hash = await hashPassword(body.password)
        // Whether the address has an account already must not show: signing in tells those who know its password.
        await createAccount(tables, email, name, hash)
        return json(201, { email, display_name: name })
      },
    }),
    personRoute({
      method: 'POST',
      path: '/api/v1/auth/logout',
      right: 'person',
      summary: 'End this session',
      group,
      answers: { 204: Empty },
      async handle({ caller }) {
        await endSession(tables, caller.id, caller.sessionId)
        return { status: 204, cookies: [cookies.clear('session')] }
      },
    }),
    personRoute({
      method: 'POST',
      path: '/api/v1/auth/change-password',
      right: 'person',
      summary: 'Set another password, which ends all other sessions',
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
    openRoute({
      method: 'POST',
      path: '/api/v1/auth/reset',
      right: 'none',
      summary: 'Ask for a link that sets a new password',
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
      summary: 'The ways to sign in',
      group,
      answers: { 200: SignInOptions },
      handle: async () => json(200, { password: true, registration, sso: hasSingleSignOn }),
    }),
    ...['/api/v1/me', '/api/v1/auth/me'].flatMap((path) => meRoutes(path, database)),
    ...sessionRoutes(database),
  ]
}

function meRoutes(path: string, database: Database): readonly Route[] {
  const { tables } = database.unscoped
  return [
    callerRoute({
      method: 'GET',
      path,
      right: 'any',
      summary: 'Who sends the request',
      group,
      answers: { 200: Me },
      handle: async ({ caller }) => json(200, await describeCaller(database, caller)),
    }),
    personRoute({
      method: 'PUT',
      path,
      right: 'person',
      summary: 'Change the own account',
      group,
      body: MeChange,
      answers: { 200: Me },
      async handle({ caller, body }) {
        const { display_name } = body
        if (display_name !== undefined) await changeAccount(tables, caller.id, { display_name: nameOf(display_name) })
        return json(200, await describeCaller(database, caller))
      },
    }),
  ]
}

function sessionRoutes({ unscoped: { tables } }: Database): readonly Route[] {
  type Row = Awaited<ReturnType<typeof sessionsOf>>[number]
  const shown = (row: Row, { sessionId }: Person): Static<typeof Session> => ({
    id: row.id,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ip: row.ip,
    user_agent: row.user_agent,
    current: row.id === sessionId,
  })
  const own = async (caller: Person, id = ''): Promise<Row> => {
    const row = (await sessionsOf(tables, caller.id)).find((one) => one.id === id.toLowerCase())
    if (row === undefined) throw failures.notFound('session', id)
    return row
  }
  const path = '/api/v1/me/sessions'
  return [
    personRoute({
      method: 'GET',
      path,
      right: 'person',
      summary: 'The own sessions',
      group,
      query: listQuery(['created_at']),
      answers: { 200: ListOf(Session, 'SessionList') },
      async handle({ caller, query }) {
        const page = pageOf(query, ['created_at'])
        const begun = (row: Row) => row.created_at
        const described = (row: Row) => `${row.ip ?? ''} ${row.user_agent ?? ''}`
        const rows = pageIn(await sessionsOf(tables, caller.id), page, begun, described)
        return json(
          200,
          listed(rows, page, begun, (row) => shown(row, caller)),
        )
      },
    }),
    personRoute({
      method: 'DELETE',
      path,
      right: 'person',
      summary: 'End all own sessions but this one',
      group,
      answers: { 204: Empty },
      async handle({ caller }) {
        await endOtherSessions(tables, caller.id, caller.sessionId)
        return { status: 204 }
      },
    }),
    personRoute({
      method: 'GET',
      path: `${path}/:id`,
      right: 'person',
      summary: 'One of the own sessions',
      group,
      answers: { 200: Session },
      handle: async ({ caller, params }) => json(200, shown(await own(caller, params['id']), caller)),
    }),
    personRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      right: 'person',
      summary: 'End one of the own sessions',
      group,
      answers: { 204: Empty },
      async handle({ caller, params }) {
        const { id } = await own(caller, params['id'])
        await endSession(tables, caller.id, id)
        return { status: 204 }
      },
    }),
  ]
}
