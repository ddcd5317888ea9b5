import type { Selectable } from 'kysely'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Delivery, Webhook } from './model.ts'

export type WebhookRow = Selectable<Tables['webhooks']>
export type DeliveryRow = Selectable<Tables['webhook_deliveries']>

/** @param isWhole true includes the path of its URL, which for some chats is the only credential of a sender */
export function webhookOf(row: WebhookRow, isWhole: boolean): Webhook {
  const { url, events, format, enabled } = row
  return {
    ...recordOf(row),
    url: isWhole ? url : `${new URL(url).origin}/…`,
    events: events as Webhook['events'],
    format,
    enabled,
  }
}

export function deliveryOf({
  id,
  event,
  created_at,
  attempt,
  status,
  response_status,
  next_at,
}: DeliveryRow): Delivery {
  return {
    id,
    event,
    at: created_at.toISOString(),
    attempt,
    status,
    response_status,
    next_at: next_at?.toISOString() ?? null,
  }
}

/**
 * Returns one row more than the limit if another page follows. URLs are not searched: matches would reveal their hidden
 * paths.
 */
export function webhooksOn(scope: Scope, project: string, page: Page): Promise<WebhookRow[]> {
  const all = scope.read('webhooks').selectFrom('webhooks').selectAll().where('project_id', '=', project)
  return onPage(all, page, { key: keyOf(page), id: 'id', texts: ['format'] }).execute()
}

/** Throws `not-found`. */
export async function webhookBy(scope: Scope, project: string, id: string): Promise<WebhookRow> {
  const all = scope.read('webhooks').selectFrom('webhooks').selectAll().where('project_id', '=', project)
  const row = isId(id) ? await all.where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('webhook', id)
  return row
}

/** Newest first; returns one row more than the limit if another page follows. */
export function deliveriesOn(scope: Scope, webhook: string, page: Page): Promise<DeliveryRow[]> {
  const all = scope
    .read('webhook_deliveries')
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook)
  return onPage(all, page, { key: keyOf(page), id: 'id', texts: ['event'] }).execute()
}

/** One message to a webhook. */
export function deliveryBy(scope: Scope, webhook: string, id: string): Promise<DeliveryRow | undefined> {
  return scope
    .read('webhook_deliveries')
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhook)
    .where('id', '=', id)
    .executeTakeFirst()
}

const keyOf = ({ sort }: Page) => (sort === 'updated_at' ? 'updated_at' : 'created_at')
