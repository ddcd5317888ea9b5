import { json } from '../../http/json-response.ts'
import { actingIn } from '../../resources/acting.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { Deployment, PublishRequest } from './model.ts'
import { deploymentOf, publish } from './publication.ts'
import { deploymentsOn } from './repository.ts'
import { atDraft, type DraftParts, group, ONE } from './view.ts'

const SORTS = ['created_at'] as const

/** Routes that publish without a release. */
export function deploymentRoutes({ database, compute }: DraftParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/publish`,
      right: 'ruleset.publish',
      summary: 'Publish a ruleset to an environment that requires no release',
      group,
      within,
      find: atDraft,
      body: PublishRequest,
      answers: { 202: Deployment },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { found, body } = asked
        const acting = actingIn(database, asked)
        return json(202, await publish(acting, compute, found, body))
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/deployments`,
      right: 'member',
      summary: 'List the deployments of a ruleset and their status',
      group,
      within,
      find: atDraft,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Deployment, 'DeploymentList') },
      async handle({ place: { member, project }, caller, found, query }) {
        const page = pageOf(query, SORTS)
        const only = caller.kind === 'key' ? caller.environments : null
        const rows = await deploymentsOn(member.scope, project.id, found.name, page, only)
        return json(
          200,
          listed(
            rows,
            page,
            (row) => row.deployed_at,
            (row) => deploymentOf(row, row.environment),
          ),
        )
      },
    }),
  ]
}
