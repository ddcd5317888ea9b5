import { Type } from 'typebox'
import { inOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { json } from '../../http/json-response.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { atRelease, group, ONE } from '../releases/release-scope.ts'
import { ReleaseSignatures, SignatureRequest, TrustedKeys } from './model.ts'
import { deliverable, signaturesOf, signRelease } from './service.ts'
import { setTrustedKeys, trustedKeys } from './trusted-keys.ts'

const KEYS = '/api/v1/orgs/:oid/trusted-keys'
const ALL = `${ONE}/signatures`
const ALL_NAMED = `${ALL}/:name`

/** Routes of external signatures, made with keys that the platform does not have. */
export function releaseSignatureRoutes(database: Database): readonly Route[] {
  const within = inProject(database)
  const find = atRelease
  return [
    ...trustedKeyRoutes(database),
    ...atBothPaths([
      memberRoute({
        method: 'GET',
        path: ALL,
        right: 'member',
        summary: 'List the contents of a release and their external signatures',
        group,
        within,
        find,
        answers: { 200: ReleaseSignatures },
        handle: async ({ place: { member }, found }) =>
          json(200, { items: await signaturesOf(database, member.scope, found), next_cursor: null }),
      }),
      memberRoute({
        method: 'GET',
        path: ALL_NAMED,
        right: 'member',
        summary: 'Get a ruleset of a release as delivered to engines, for signing',
        group,
        within,
        find,
        answers: { 200: Type.Object({}, { additionalProperties: true, description: 'of the engine’s format' }) },
        async handle({ place: { member }, found, params: { name = '' } }) {
          return json(200, (await deliverable(database, member.scope, found, name)).document)
        },
      }),
      memberRoute({
        method: 'PUT',
        path: ALL_NAMED,
        right: 'release.execute',
        summary: 'Submit an external signature for a ruleset of a release, before its execution',
        group,
        within,
        find,
        body: SignatureRequest,
        answers: { 200: ReleaseSignatures.properties.items.items },
        hasConflicts: true,
        async handle(asked) {
          const { found, body, params } = asked
          return json(200, await signRelease(actingIn(database, asked), found, params['name'] ?? '', body))
        },
      }),
    ]),
  ]
}

function trustedKeyRoutes(database: Database): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: KEYS,
      right: 'member',
      summary: 'List the public keys trusted for signing releases',
      group,
      within,
      answers: { 200: TrustedKeys },
      handle: async ({ place: { member } }) => json(200, { public_keys: await trustedKeys(member.scope) }),
    }),
    memberRoute({
      method: 'PUT',
      path: KEYS,
      right: 'org.manage',
      summary: 'Replace the trusted public keys',
      group,
      within,
      body: TrustedKeys,
      answers: { 200: TrustedKeys },
      handle: async (asked) =>
        json(200, { public_keys: await setTrustedKeys(actingIn(database, asked), asked.body.public_keys) }),
    }),
  ]
}
