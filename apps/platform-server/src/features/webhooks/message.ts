import { type ObjectValue, stringifyJson, type Value } from '@engine/expression'
import { createHmac, randomBytes } from 'node:crypto'
import type { WebhookFormat } from '../../database/tables.ts'
import type { WebhookEvent } from './events.ts'

/**
 * The body of a message: `json` by Standard Webhooks, `cloudevents` as an event of CloudEvents 1.0 around it, the
 * others in the format of each chat's incoming webhooks.
 *
 * @param id id of the message
 */
export function bodyOf(format: WebhookFormat, id: string, event: WebhookEvent): string {
  const { type, at, summary, data } = event
  switch (format) {
    case 'json':
      return stringifyJson(dataOf(event))
    case 'cloudevents':
      return stringifyJson({
        specversion: '1.0',
        id,
        source: `/orgs/${textIn(data['org_id'])}/projects/${textIn(data['project_id'])}`,
        type: cloudEventType(type),
        subject: textIn(data['release_id'] ?? data['webhook_id']),
        time: at.toISOString(),
        datacontenttype: 'application/json',
        data: dataOf(event),
      })
    case 'slack':
      return stringifyJson({ text: escaped(summary) })
    case 'teams':
      return stringifyJson(cardOf(summary))
  }
}

const dataOf = ({ type, at, data }: WebhookEvent): ObjectValue => ({ type, timestamp: at.toISOString(), data })

const textIn = (value: Value | undefined) => (typeof value === 'string' ? value : '')

/** The type of an event by the convention of CloudEvents: `engine.release.created`. */
const cloudEventType = (type: WebhookEvent['type']): string => `engine.${type.replace('_', '.')}`

/** Start of the JSON text of a CloudEvents event. */
const CLOUD_EVENT = '{"specversion":'

/** The content type of a stored body, whose format is that of its webhook at that time. */
export function contentTypeOf(body: string): string {
  return body.startsWith(CLOUD_EVENT) ? 'application/cloudevents+json' : 'application/json'
}

/** These three characters start links and mentions in Slack text. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Teams workflows accept only adaptive cards. The text is Markdown. */
function cardOf(summary: string): Value {
  const text = summary.replaceAll(/[\\`*_[\]()#<>~]/g, String.raw`\$&`)
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text, wrap: true }] },
      },
    ],
  }
}

/** The prefix of secrets, by Standard Webhooks; base64 follows. */
const SECRET_PREFIX = 'whsec_'

/** A new secret of a webhook, with which its receiver verifies messages. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/**
 * The headers that authenticate a message, by Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`.
 *
 * @param id id of the message, the same in every attempt
 */
export function signatureHeaders(
  secret: string,
  id: string,
  at: Date,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
