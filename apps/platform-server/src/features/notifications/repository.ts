import type { Selectable } from 'kysely'
import { stringifyJson, type Value } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { NotificationKind, OrgTables } from '../../database/tables.ts'
import type { Notification } from './model.ts'

type Row = Selectable<OrgTables['notifications']>

/** The content of a notification. */
export interface Notice {
  readonly kind: NotificationKind
  readonly ref: { readonly type: string; readonly id: string }
  readonly payload: Value
}

/** Notify users within the transaction of the event; duplicate IDs count once. */
export async function notify(scope: Scope, userIds: Iterable<string>, { kind, ref, payload }: Notice): Promise<void> {
  const text = stringifyJson(payload)
  const rows = [...new Set(userIds)].map((user_id) => ({
    id: randomUUIDv7(),
    user_id,
    kind,
    ref_type: ref.type,
    ref_id: ref.id,
    payload: text,
  }))
  if (rows.length > 0) await scope.insert('notifications', rows).execute()
}

const ofUser = (scope: Scope, userId: string) =>
  scope.read('notifications').selectFrom('notifications').where('user_id', '=', userId)

export function notificationsOn(scope: Scope, userId: string, page: Page, unreadOnly: boolean): Promise<Row[]> {
  const all = ofUser(scope, userId).selectAll()
  const wanted = unreadOnly ? all.where('read_at', 'is', null) : all
  return onPage(wanted, page, { key: 'created_at', id: 'id', texts: ['kind', 'ref_type', 'ref_id'] }).execute()
}

export function countOf(scope: Scope, userId: string): Promise<{ unread: number; total: number }> {
  return ofUser(scope, userId)
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('read_at', 'is', null).as('unread'),
      eb.fn.countAll<number>().as('total'),
    ])
    .executeTakeFirstOrThrow()
}

export async function isNotified(scope: Scope, userId: string, id: string): Promise<boolean> {
  const row = await ofUser(scope, userId).select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** @param id undefined: all notifications */
export async function markRead(scope: Scope, userId: string, id: string | undefined): Promise<void> {
  const unread = scope
    .update('notifications')
    .set({ read_at: new Date() })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
  await (id === undefined ? unread : unread.where('id', '=', id)).execute()
}

export function notificationOf({ id, kind, ref_type, ref_id, payload, read_at, created_at }: Row): Notification {
  return {
    id,
    kind,
    ref_type,
    ref_id,
    payload,
    read_at: read_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
