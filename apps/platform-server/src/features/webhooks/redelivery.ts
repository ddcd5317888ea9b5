import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { claimedColumns, type Deliveries } from './deliveries.ts'
import { deliveryBy, deliveryOf, type DeliveryRow, type WebhookRow } from './repository.ts'

/**
 * Sends a past message again, with its id and body, also to a disabled webhook. Returns it after this attempt. Throws
 * `not-found`, and 409 `busy` for a message with a pending attempt.
 */
export async function redeliver(
  acting: Acting<InProject>,
  deliveries: Deliveries,
  webhook: WebhookRow,
  id: string,
): Promise<DeliveryRow> {
  const claimed = await acting.change(async ({ scope, audit }) => {
    const before = isId(id) ? await deliveryBy(scope, webhook.id, id) : undefined
    if (before === undefined) throw failures.notFound('delivery', id)
    if (before.status === 'pending')
      throw failures.conflict('busy', 'the message is still being delivered: wait for its attempts', deliveryOf(before))
    const { next_at } = claimedColumns()
    const row = await scope
      .update('webhook_deliveries')
      .set({ status: 'pending', next_at, fence: before.fence + 1, updated_at: new Date() })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await audit({
      action: 'webhook.redelivered',
      object: { id: webhook.id, name: new URL(webhook.url).host },
      after: deliveryOf(before),
    })
    return row
  })
  await deliveries.attempt(claimed)
  const row = await deliveryBy(acting.place.member.scope, webhook.id, claimed.id)
  if (row === undefined) throw failures.notFound('delivery', id)
  return row
}
