import { type Static, Type } from 'typebox'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'
import { EVENT_TYPES } from './events.ts'

const EventType = Type.Union([Type.Literal('*'), ...EVENT_TYPES.map((type) => Type.Literal(type))], {
  description: 'type of an event of a release; `*`: all of them',
})
const Format = Type.Union(
  [Type.Literal('json'), Type.Literal('slack'), Type.Literal('teams'), Type.Literal('cloudevents')],
  {
    description:
      '`json`: Standard Webhooks; `cloudevents`: the same in an event of CloudEvents 1.0; the others: incoming webhooks of these chats',
  },
)

const members = {
  ...RECORD,
  url: Type.String({ description: 'without its path for callers who lack `project.manage`: the path may be a secret' }),
  events: Type.Array(EventType),
  format: Format,
  enabled: Type.Boolean(),
}

/** A webhook for the release events of a project. */
export const Webhook = Type.Object(members, { title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

/** Response to the creation of a webhook: the only one that contains its secret. */
export const CreatedWebhook = Type.Object(
  {
    ...members,
    secret: Type.String({ description: 'by which its messages are signed (HMAC-SHA256), shown this once' }),
  },
  { title: 'CreatedWebhook' },
)

const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'http or https, at a public address' })
const Events = Type.Array(EventType, { minItems: 1, maxItems: 50 })

/** A webhook to create. Addresses inside the platform's network are refused. */
export const WebhookRequest = Type.Object(
  { url: Url, events: Events, format: Type.Optional(Format), enabled: Type.Optional(Type.Boolean()) },
  { title: 'WebhookRequest', examples: [{ url: 'https://hooks.example.com/releases', events: ['*'], format: 'json' }] },
)
export type WebhookRequest = Static<typeof WebhookRequest>

/** Omitted members keep their values; the secret cannot be changed. */
export const WebhookChange = Type.Partial(
  Type.Object({ url: Url, events: Events, format: Format, enabled: Type.Boolean() }),
  { title: 'WebhookChange', examples: [{ enabled: false }] },
)
export type WebhookChange = Static<typeof WebhookChange>

/** One message to a webhook. */
export const Delivery = Type.Object(
  {
    id: Id,
    event: Type.String({ description: 'its type' }),
    at: Time('of the event'),
    attempt: Type.Integer({ minimum: 0, description: 'attempts that were made' }),
    status: Type.Union([Type.Literal('pending'), Type.Literal('success'), Type.Literal('failed')]),
    response_status: orNull(Type.Integer({ description: 'null: there was no answer' })),
    next_at: orNull(Time('of the next attempt; null: there is none')),
  },
  { title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>
