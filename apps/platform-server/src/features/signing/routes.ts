import { json } from '../../http/json-response.ts'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { SigningKey, SigningKeyRequest } from './model.ts'
import { deleteSigningKey, setSigningKey } from './service.ts'

const group = 'Projects'
const right = 'project.manage'
const path = '/api/v1/orgs/:oid/projects/:pid/signing-key'

/** Routes of the project key that signs rulesets for delivery to engines. */
export function signingRoutes(database: Database, secretBox: SecretBox): readonly Route[] {
  const within = inProject(database)
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path,
      right,
      summary: 'Get the public signing key of a project',
      group,
      within,
      answers: { 200: SigningKey },
      handle: async ({ place: { project } }) => json(200, { public_key: project.public_key }),
    }),
    memberRoute({
      method: 'PUT',
      path,
      right,
      summary: 'Set the signing key with which rulesets are signed for engines',
      group,
      within,
      body: SigningKeyRequest,
      answers: { 200: SigningKey },
      async handle(asked) {
        return json(200, {
          public_key: await setSigningKey(actingIn(database, asked), secretBox, asked.body.private_key),
        })
      },
    }),
    memberRoute({
      method: 'DELETE',
      path,
      right,
      summary: 'Delete the signing key of a project',
      group,
      within,
      answers: { 204: Empty },
      async handle(asked) {
        await deleteSigningKey(actingIn(database, asked))
        return { status: 204 }
      },
    }),
  ])
}
