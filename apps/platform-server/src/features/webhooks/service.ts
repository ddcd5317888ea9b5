import { EgressRefusal } from '@engine/egress'
import { randomUUIDv7 } from 'node:crypto'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Change } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { InProject } from '../projects/project-scope.ts'
import { DELIVERIES_TOPIC } from './deliveries.ts'
import type { WebhookEvent } from './events.ts'
import { bodyOf, newSecret } from './message.ts'
import type { Webhook, WebhookChange, WebhookRequest } from './model.ts'
import { webhookBy, webhookOf, type WebhookRow } from './repository.ts'
import { secretPurpose } from './secret-purpose.ts'
import type { Sender } from './sender.ts'

/** Creates a webhook; its secret is returned only here. */
export async function createWebhook(
  acting: Acting<InProject>,
  secretBox: SecretBox,
  sender: Sender,
  { url, events, format = 'json', enabled = true }: WebhookRequest,
): Promise<Webhook & { readonly secret: string }> {
  const [id, secret] = [randomUUIDv7(), newSecret()]
  const row = {
    id,
    project_id: acting.place.project.id,
    url: receiver(sender, url),
    events: [...new Set<string>(events)],
    format,
    enabled,
    secret_encrypted: secretBox.encrypt(secret, secretPurpose(id)),
    created_by: acting.by,
  }
  const made = await acting.changeUnlocked(async (change) => {
    const stored = await change.scope.insert('webhooks', row).returningAll().executeTakeFirstOrThrow()
    await auditWebhook(change, 'created', undefined, stored)
    return stored
  })
  return { ...webhookOf(made, true), secret }
}

/** @param rev expected revision; undefined: any */
export async function changeWebhook(
  acting: Acting<InProject>,
  sender: Sender,
  id: string,
  { url, events, ...rest }: WebhookChange,
  rev: number | undefined,
): Promise<Webhook> {
  return acting.change(async (change) => {
    const before = await webhookBy(change.scope, acting.place.project.id, id)
    if (rev !== undefined && before.rev !== rev) throw staleRevision(webhookOf(before, true))
    const after = await change.scope
      .update('webhooks')
      .set({
        ...rest,
        ...(url === undefined ? {} : { url: receiver(sender, url) }),
        ...(events === undefined ? {} : { events: [...new Set<string>(events)] }),
        updated_at: new Date(),
        rev: before.rev + 1,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await auditWebhook(change, 'updated', before, after)
    return webhookOf(after, true)
  })
}

/** @param rev expected revision; undefined: any */
export async function deleteWebhook(acting: Acting<InProject>, id: string, rev: number | undefined): Promise<void> {
  await acting.change(async (change) => {
    const before = await webhookBy(change.scope, acting.place.project.id, id)
    if (rev !== undefined && before.rev !== rev) throw staleRevision(webhookOf(before, true))
    await change.scope.delete('webhooks').where('id', '=', id).execute()
    await auditWebhook(change, 'deleted', before, undefined)
  })
}

/** Enqueues a message to a webhook, in the transaction of its event. */
export async function enqueue(
  { scope, wake }: Pick<Change, 'scope' | 'wake'>,
  webhook: Pick<WebhookRow, 'id' | 'format'>,
  event: WebhookEvent,
): Promise<void> {
  await scope.insert('webhook_deliveries', { ...messageOf(webhook, event), next_at: event.at }).execute()
  await wake(DELIVERIES_TOPIC)
}

/** The columns of a message to a webhook. */
export function messageOf({ id: webhook_id, format }: Pick<WebhookRow, 'id' | 'format'>, event: WebhookEvent) {
  const id = randomUUIDv7()
  return {
    id,
    webhook_id,
    event: event.type,
    body: bodyOf(format, id, event),
    response_status: null,
    created_at: event.at,
  }
}

/** A permitted URL of a receiver, in its normalized form. Throws 400. Names are resolved when a message is sent. */
function receiver(sender: Sender, text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw failures.invalid('/url', 'must be a URL of http or https without a user, as `https://hooks.example.com/x`')
  url.hash = ''
  try {
    sender.refuse(url)
  } catch (error) {
    if (error instanceof EgressRefusal) throw failures.invalid('/url', error.message)
    throw error
  }
  return url.href
}

/** The audit contains neither secrets nor paths of URLs. */
async function auditWebhook(
  { audit }: Change,
  verb: 'created' | 'updated' | 'deleted',
  before: WebhookRow | undefined,
  after: WebhookRow | undefined,
): Promise<void> {
  const row = after ?? before
  if (row === undefined) return
  const shown = (one: WebhookRow | undefined) => one && webhookOf(one, false)
  await audit({
    action: `webhook.${verb}`,
    object: { id: row.id, name: new URL(row.url).host },
    before: shown(before),
    after: shown(after),
  })
}
