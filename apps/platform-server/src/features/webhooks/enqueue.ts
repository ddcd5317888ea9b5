import type { Change } from '../../database/database.ts'
import { type ReleaseTold, webhookEventOf } from './release-event.ts'
import { enqueue } from './service.ts'

/**
 * Enqueues a message about an event of a release for each webhook of its project that subscribes to it, in the
 * transaction of the event: a rolled-back event reaches no webhook, a committed one reaches all.
 */
export async function enqueueReleaseEvent(change: Pick<Change, 'scope' | 'wake'>, told: ReleaseTold): Promise<void> {
  const webhooks = await change.scope
    .read('webhooks')
    .selectFrom('webhooks')
    .select(['id', 'format', 'events'])
    .where('project_id', '=', told.project.id)
    .where('enabled', '=', true)
    .orderBy('id')
    .execute()
  const wanting = webhooks.filter(({ events }) => events.includes('*') || events.includes(told.type))
  if (wanting.length === 0) return
  const event = webhookEventOf(told)
  for (const webhook of wanting) await enqueue(change, webhook, event)
}
