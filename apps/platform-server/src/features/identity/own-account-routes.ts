import type { Static } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Person } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { ListOf, listed, listQuery, pageIn, pageOf } from '../../resources/pagination.ts'
import { callerRoute, Empty, personRoute, type Route } from '../../http/route.ts'
import { nameOf } from './accounts.ts'
import { describeCaller } from './me.ts'
import { Me, MeChange, Session } from './model.ts'
import type { OwnAccount } from './own-account.ts'
import { sessionsOf } from './sessions.ts'

const group = 'Identity'

/** Routes with which people view and change their account. */
export function ownAccountRoutes(database: Database, account: OwnAccount): readonly Route[] {
  return [
    ...['/api/v1/me', '/api/v1/auth/me'].flatMap((path) => meRoutes(path, database, account)),
    ...sessionRoutes(database, account),
  ]
}

function meRoutes(path: string, database: Database, account: OwnAccount): readonly Route[] {
  return [
    callerRoute({
      method: 'GET',
      path,
      right: 'any',
      summary: 'Get the caller',
      group,
      answers: { 200: Me },
      handle: async ({ caller }) => json(200, await describeCaller(database, caller)),
    }),
    personRoute({
      method: 'PUT',
      path,
      right: 'person',
      summary: "Update the caller's account",
      group,
      body: MeChange,
      answers: { 200: Me },
      async handle(asked) {
        const { caller, body } = asked
        if (body.display_name !== undefined) await account.rename(caller, nameOf(body.display_name), asked)
        return json(200, await describeCaller(database, caller))
      },
    }),
  ]
}

function sessionRoutes({ unscoped: { tables } }: Database, account: OwnAccount): readonly Route[] {
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
      summary: "List the caller's sessions",
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
      summary: "End the caller's other sessions",
      group,
      answers: { 204: Empty },
      async handle(asked) {
        await account.endOtherSessions(asked.caller, asked)
        return { status: 204 }
      },
    }),
    personRoute({
      method: 'GET',
      path: `${path}/:id`,
      right: 'person',
      summary: "Get one of the caller's sessions",
      group,
      answers: { 200: Session },
      handle: async ({ caller, params }) => json(200, shown(await own(caller, params['id']), caller)),
    }),
    personRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      right: 'person',
      summary: "End one of the caller's sessions",
      group,
      answers: { 204: Empty },
      async handle(asked) {
        const { id } = await own(asked.caller, asked.params['id'])
        await account.endSession(asked.caller, id, asked)
        return { status: 204 }
      },
    }),
  ]
}
