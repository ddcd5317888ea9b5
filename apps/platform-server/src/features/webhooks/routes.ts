import { json } from '../../http/json-response.ts'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, revised } from '../../resources/revision.ts'
import { changeRoute, deleteRoute } from '../../resources/revision-routes.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import type { Deliveries } from './deliveries.ts'
import { redeliver } from './redelivery.ts'
import { Delivery, CreatedWebhook, Webhook, WebhookChange, WebhookRequest } from './model.ts'
import { deliveriesOn, deliveryOf, webhookBy, webhookOf, webhooksOn } from './repository.ts'
import type { Sender } from './sender.ts'
import { changeWebhook, createWebhook, deleteWebhook } from './service.ts'
import { sendTest } from './test-delivery.ts'

export interface WebhookParts {
  readonly database: Database
  readonly basePath: string
  readonly secretBox: SecretBox
  readonly sender: Sender
  readonly deliveries: Deliveries
}

const group = 'Webhooks'
const right = 'project.manage'
const SORTS = ['created_at', 'updated_at'] as const
const ALL = '/api/v1/orgs/:oid/projects/:pid/webhooks'
const ONE = `${ALL}/:id`

const find = ({ member, project }: InProject, { id = '' }: Readonly<Record<string, string>>) =>
  webhookBy(member.scope, project.id, id)

/** Webhooks for the release events of a project. */
export function webhookRoutes(parts: WebhookParts): readonly Route[] {
  return atBothPaths([...readingRoutes(parts), ...changingRoutes(parts), trialRoute(parts), redeliveryRoute(parts)])
}

/** Only callers who may change a webhook see the path of its URL. */
const isWhole = ({ member: { permissions, withheld } }: InProject) => permissions.has(right) && !withheld.has(right)

function readingRoutes({ database }: WebhookParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'List webhooks',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Webhook, 'WebhookList') },
      async handle({ place, query }) {
        const page = pageOf(query, SORTS)
        const rows = await webhooksOn(place.member.scope, place.project.id, page)
        const keyOf = (row: (typeof rows)[number]) => (page.sort === 'updated_at' ? row.updated_at : row.created_at)
        return json(
          200,
          listed(rows, page, keyOf, (row) => webhookOf(row, isWhole(place))),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: 'Get a webhook',
      group,
      within,
      find,
      answers: { 200: Webhook },
      answerHeaders: { 200: ETAG },
      handle: async ({ raw, place, found }) => revised(raw, webhookOf(found, isWhole(place))),
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/deliveries`,
      right: 'member',
      summary: 'List webhook deliveries of the last 30 days',
      group,
      within,
      find,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Delivery, 'DeliveryList') },
      async handle({ place, found, query }) {
        const page = pageOf(query, SORTS)
        const rows = await deliveriesOn(place.member.scope, found.id, page)
        const keyOf = (row: (typeof rows)[number]) => (page.sort === 'updated_at' ? row.updated_at : row.created_at)
        return json(200, listed(rows, page, keyOf, deliveryOf))
      },
    }),
  ]
}

function changingRoutes({ database, basePath, secretBox, sender }: WebhookParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'POST',
      path: ALL,
      right,
      summary: 'Create a webhook',
      group,
      within,
      body: WebhookRequest,
      answers: { 201: CreatedWebhook },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      async handle(asked) {
        const { place, body } = asked
        const webhook = await createWebhook(actingIn(database, asked), secretBox, sender, body)
        const { org_id, id } = place.project
        return created(webhook, `${basePath}/api/v1/orgs/${org_id}/projects/${id}/webhooks/${webhook.id}`)
      },
    }),
    changeRoute({
      path: ONE,
      right,
      summary: 'Update a webhook; its secret stays',
      group,
      within,
      find,
      body: WebhookChange,
      answer: Webhook,
      current: ({ found }) => webhookOf(found, true),
      change: (asked) => changeWebhook(actingIn(database, asked), sender, asked.found.id, asked.body, asked.rev),
    }),
    deleteRoute({
      path: ONE,
      right,
      summary: 'Delete a webhook and its pending deliveries',
      group,
      within,
      find,
      current: ({ found }) => webhookOf(found, true),
      remove: (asked) => deleteWebhook(actingIn(database, asked), asked.found.id, asked.rev),
    }),
  ]
}

function trialRoute({ database, deliveries }: WebhookParts): Route {
  return memberRoute({
    method: 'POST',
    path: `${ONE}/test`,
    right,
    summary: 'Send a test message to a webhook, even a disabled one, and wait for the first attempt',
    group,
    within: inProject(database),
    find,
    answers: { 200: Delivery },
    async handle({ place, found }) {
      return json(200, deliveryOf(await sendTest(database, deliveries, place, found)))
    },
  })
}

function redeliveryRoute({ database, deliveries }: WebhookParts): Route {
  return memberRoute({
    method: 'POST',
    path: `${ONE}/deliveries/:did/redeliver`,
    right,
    summary: 'Redeliver a message under its id and wait for the attempt; 409 `busy` while a delivery is in progress',
    group,
    within: inProject(database),
    find,
    answers: { 200: Delivery },
    hasConflicts: true,
    async handle(asked) {
      const { found, params } = asked
      const { did = '' } = params
      return json(200, deliveryOf(await redeliver(actingIn(database, asked), deliveries, found, did)))
    },
  })
}
