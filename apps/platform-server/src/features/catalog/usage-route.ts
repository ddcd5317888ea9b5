import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { json } from '../../http/json-response.ts'
import { limitOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { factBy } from './facts.ts'
import { FactUsage } from './model.ts'
import { usageOf } from './usage.ts'

/** Route that lists the contracts and rulesets that a change of a fact would affect. */
export function usageRoute({ database, compute }: { readonly database: Database; readonly compute: Compute }): Route {
  return memberRoute({
    method: 'GET',
    path: '/api/v1/orgs/:oid/projects/:pid/facts/:name/usage',
    right: 'member',
    summary: 'List the uses of a fact, and the problems that another type would cause',
    group: 'Facts',
    within: inProject(database),
    find: ({ member, project }: InProject, { name = '' }) => factBy(member.scope, project.id, name),
    query: {
      ...PLAIN_LIST,
      type: Type.String({ description: 'the type that the fact would have; `problems` are those that it would bring' }),
    },
    answers: { 200: FactUsage },
    async handle({ place: { member, project }, found, query }) {
      const usages = { compute, scope: member.scope, project: project.id }
      const asked = {
        fact: found.name,
        type: query.get('type') ?? undefined,
        limit: limitOf(query.get('limit')),
        after: cursorIn(query),
      }
      return json(200, await usageOf(usages, asked))
    },
  })
}

/** The name of the last ruleset on the previous page. */
function cursorIn(query: URLSearchParams): string {
  const given = query.get('cursor') ?? ''
  if (given.includes('\0') || !given.isWellFormed() || given.length > 1000)
    throw invalidParameter('cursor', 'is not one of this list: begin without it')
  return given
}
