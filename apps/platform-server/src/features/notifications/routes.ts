import { truthOf } from '@engine/http-api'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Caller, Person } from '../../access/caller.ts'
import { inOrganization, type InOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { Notification, NotificationCount } from './model.ts'
import { countOf, isNotified, markRead, notificationOf, notificationsOn } from './repository.ts'

const group = 'Notifications'
const SORTS = ['created_at'] as const

/** Routes of a person's notifications in an organization. API keys receive none. */
export function notificationRoutes(database: Database): readonly Route[] {
  const organization = inOrganization(database)
  const all = '/api/v1/orgs/:oid/notifications'
  const within = async (caller: Caller, params: Readonly<Record<string, string>>) => ({
    ...(await organization(caller, params)),
    person: personOf(caller),
  })
  const find = async ({ member, person }: InOrganization & { person: Person }, { nid = '' }) => {
    if (!isId(nid) || !(await isNotified(member.scope, person.id, nid))) throw failures.notFound('notification', nid)
    return nid
  }

  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: "List the caller's notifications, newest first",
      group,
      within,
      query: { ...listQuery(SORTS), unread_only: Type.Boolean({ description: 'only those that are not read yet' }) },
      answers: { 200: ListOf(Notification, 'NotificationList') },
      async handle({ place, query }) {
        const page = pageOf(query, SORTS)
        const unreadOnly = truthOf(query, 'unread_only') === true
        const rows = await notificationsOn(place.member.scope, place.person.id, page, unreadOnly)
        return json(
          200,
          listed(rows, page, ({ created_at }) => created_at, notificationOf),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${all}/count`,
      right: 'member',
      summary: 'Count notifications',
      group,
      within,
      answers: { 200: NotificationCount },
      handle: async ({ place }) => json(200, await countOf(place.member.scope, place.person.id)),
    }),
    memberRoute({
      method: 'POST',
      path: `${all}/:nid/read`,
      right: 'member',
      summary: 'Mark a notification as read',
      group,
      within,
      find,
      answers: { 204: Empty },
      async handle({ place, found }) {
        await database.note(place.member.org, ({ scope }) => markRead(scope, place.person.id, found))
        return { status: 204 }
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${all}/read-all`,
      right: 'member',
      summary: 'Mark all notifications as read',
      group,
      within,
      answers: { 204: Empty },
      async handle({ place }) {
        await database.note(place.member.org, ({ scope }) => markRead(scope, place.person.id, undefined))
        return { status: 204 }
      },
    }),
  ]
}

function personOf(caller: Caller): Person {
  if (caller.kind === 'user') return caller
  throw failures.forbidden('only a person who is signed in may do this', 'person')
}
