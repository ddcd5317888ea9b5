import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { InProject } from '../projects/project-scope.ts'
import { claimedColumns, type Deliveries } from './deliveries.ts'
import { TEST_EVENT, type WebhookEvent } from './events.ts'
import type { DeliveryRow, WebhookRow } from './repository.ts'
import { messageOf } from './service.ts'

/**
 * Sends a message without an event through the usual delivery: stored, signed, retried. Returns it after its first
 * attempt. Throws `not-found` for a webhook that was deleted meanwhile.
 */
export async function sendTest(
  database: Database,
  deliveries: Deliveries,
  { member, project }: InProject,
  webhook: WebhookRow,
): Promise<DeliveryRow> {
  const event: WebhookEvent = {
    type: TEST_EVENT,
    at: new Date(),
    summary: `A test of the webhook of the project ${project.name}.`,
    data: { org_id: project.org_id, project_id: project.id, project_name: project.name, webhook_id: webhook.id },
  }
  // Not an audited change: the message appears in the list of deliveries.
  const message = { ...messageOf(webhook, event), ...claimedColumns() }
  const stored = await database.note(member.org, ({ scope }) =>
    scope.insert('webhook_deliveries', message).returningAll().executeTakeFirstOrThrow(),
  )
  await deliveries.attempt(stored)
  const row = await member.scope
    .read('webhook_deliveries')
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', stored.id)
    .executeTakeFirst()
  if (row === undefined) throw failures.notFound('webhook', webhook.id)
  return row
}
