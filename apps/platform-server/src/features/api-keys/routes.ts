import { json } from '../../http/json-response.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, revised } from '../../resources/revision.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { ApiKey, ApiKeyRequest, CreatedApiKey } from './model.ts'
import { createKey, keyById, keyOf, keysOf, revokeKey } from './service.ts'

const PATH = '/api/v1/orgs/:oid/api-keys'
const SORTS = ['created_at', 'updated_at', 'name'] as const
const group = 'API keys'

/** Routes of API keys. @param basePath prefix of all paths, without a trailing slash */
export function apiKeyRoutes(database: Database, basePath: string): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: PATH,
      right: 'token.manage',
      within,
      summary: 'List API keys',
      group,
      query: listQuery(SORTS),
      answers: { 200: ListOf(ApiKey, 'ApiKeyList') },
      async handle({ place: { member }, query }) {
        const page = pageOf(query, SORTS)
        return json(
          200,
          listed(await keysOf(member, page), page, (row) => row[page.sort], keyOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: PATH,
      right: 'token.manage',
      within,
      summary: 'Create an API key',
      group,
      body: ApiKeyRequest,
      answers: { 201: CreatedApiKey },
      answerHeaders: { 201: { location: 'of the key' } },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const { key, token } = await createKey(actingIn(database, asked), body)
        const location = `${basePath}/api/v1/orgs/${place.member.org}/api-keys/${key.id}`
        return { ...json(201, { ...key, token }), headers: { location } }
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${PATH}/:id`,
      right: 'token.manage',
      within,
      find: ({ member }, { id = '' }) => keyById(member, id),
      summary: 'Get an API key',
      group,
      answers: { 200: ApiKey },
      answerHeaders: { 200: ETAG },
      handle: async ({ found, raw }) => revised(raw, keyOf(found)),
    }),
    memberRoute({
      method: 'DELETE',
      path: `${PATH}/:id`,
      right: 'token.manage',
      within,
      find: ({ member }, { id = '' }) => keyById(member, id),
      summary: 'Revoke an API key',
      group,
      answers: { 204: Empty },
      async handle(asked) {
        const { found } = asked
        await revokeKey(actingIn(database, asked), found)
        return { status: 204 }
      },
    }),
  ]
}
