import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import { reachesEnvironment } from '../../access/caller.ts'
import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, revised } from '../../resources/revision.ts'
import { changeRoute, deleteRoute } from '../../resources/revision-routes.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { timeIn } from '../../resources/time-parameter.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { FrozenTime, Policy, PolicyChange, PolicyRequest } from './model.ts'
import { environmentNames, policiesOn, policyBy, policyOf } from './repository.ts'
import { frozenTimes } from './freeze-calendar.ts'
import { changePolicy, createPolicy, deletePolicy } from './service.ts'

export interface PolicyParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Releases'
const right = 'project.manage'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const ALL = '/api/v1/orgs/:oid/projects/:pid/release-policies'
const ONE = `${ALL}/:id`
const DAY_MS = 86_400_000
/** Default and maximum length of the freeze window calendar, in days. */
const [DEFAULT_DAYS, MAX_DAYS] = [90, 366]

async function find({ member, project }: InProject, { id = '' }: Readonly<Record<string, string>>): Promise<Policy> {
  const row = await policyBy(member.scope, project.id, id)
  return policyOf(row, await environmentNames(member.scope, project.id))
}

/** Routes of required approvals and freeze windows. */
export function policyRoutes(parts: PolicyParts): readonly Route[] {
  return atBothPaths([...readingRoutes(parts), calendarRoute(parts), ...changingRoutes(parts)])
}

function readingRoutes({ database }: PolicyParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'List release policies',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Policy, 'ReleasePolicyList') },
      async handle({ place: { member, project }, query }) {
        const page = pageOf(query, SORTS)
        const names = await environmentNames(member.scope, project.id)
        const rows = await policiesOn(member.scope, project.id, page)
        return json(
          200,
          listed(
            rows,
            page,
            (row) => row[page.sort],
            (row) => policyOf(row, names),
          ),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: 'Get a release policy',
      group,
      within,
      find,
      answers: { 200: Policy },
      answerHeaders: { 200: ETAG },
      handle: async ({ raw, found }) => revised(raw, found),
    }),
  ]
}

const CALENDAR = {
  from: Type.String({ format: 'date-time', description: 'default: now' }),
  to: Type.String({ format: 'date-time', description: 'default: 90 days after `from`; at most 366 days after it' }),
}

function calendarRoute({ database }: PolicyParts): Route {
  return memberRoute({
    method: 'GET',
    path: '/api/v1/orgs/:oid/projects/:pid/freeze-windows',
    right: 'member',
    summary: 'List when releases are not executed, by environment: the first 100 windows of each in a range',
    group,
    within: inProject(database),
    query: CALENDAR,
    answers: { 200: ListOf(FrozenTime, 'FrozenTimeList') },
    async handle({ place: { member, project }, caller, query }) {
      const from = timeIn(query, 'from') ?? new Date()
      const to = timeIn(query, 'to') ?? new Date(from.getTime() + DEFAULT_DAYS * DAY_MS)
      if (to <= from) throw invalidParameter('to', 'must be later than `from`')
      if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
        throw invalidParameter('to', `must be at most ${MAX_DAYS} days after \`from\``)
      const all = await frozenTimes(member.scope, project.id, { from, to })
      const items = all.filter(({ environment }) => reachesEnvironment(caller, environment))
      return json(200, { items, next_cursor: null })
    },
  })
}

function changingRoutes({ database, basePath }: PolicyParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'POST',
      path: ALL,
      right,
      summary: 'Create a release policy: required approvals and freeze windows of environments',
      group,
      within,
      body: PolicyRequest,
      answers: { 201: Policy },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const policy = await createPolicy(actingIn(database, asked), body)
        const { org_id, id } = place.project
        return created(policy, `${basePath}/api/v1/orgs/${org_id}/projects/${id}/release-policies/${policy.id}`)
      },
    }),
    changeRoute({
      path: ONE,
      right,
      summary: 'Update a release policy; existing releases keep the stricter requirements',
      group,
      within,
      find,
      body: PolicyChange,
      answer: Policy,
      current: ({ found }) => found,
      change: (asked) => changePolicy(actingIn(database, asked), asked.found.id, asked.body, asked.rev),
    }),
    deleteRoute({
      path: ONE,
      right,
      summary: 'Delete a release policy; existing releases keep its requirements',
      group,
      within,
      find,
      current: ({ found }) => found,
      remove: (asked) => deletePolicy(actingIn(database, asked), asked.found.id, asked.rev),
    }),
  ]
}
