import { refuseName } from '@engine/ruleset'
import { invalidParameter } from '@engine/http-api'
import { json } from '../../http/json-response.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { LOCATION } from '../../resources/created-response.ts'
import { refuseRenaming } from '../../resources/document-name.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { Empty, type Finder, memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { SubRule, SubRuleChange, SubRuleRequest } from './model.ts'
import { contentIn } from './sub-rule-content.ts'
import { atSubRule, group, ownerOf, type Place } from './sub-rule-scope.ts'
import { subRulesOn } from './repository.ts'
import { deleteSubRule, saveSubRule, shown } from './service.ts'
import { versionRoutes } from './version-routes.ts'
import { Type } from 'typebox'

export interface SubRuleParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

const SORTS = ['name', 'created_at', 'updated_at'] as const

/** Routes of sub-rules, of a project or of the organization for all its projects. */
export function subRuleRoutes(parts: SubRuleParts): readonly Route[] {
  const { database, basePath } = parts
  const ofOrganization = inOrganization(database)
  const ofProject = inProject(database)
  const atOrganization: Finder<Place> = async (caller, params) => {
    const { member } = await ofOrganization(caller, params)
    return { member, path: `${basePath}/api/v1/orgs/${member.org}/sub-rules` }
  }
  const atProject: Finder<Place> = async (caller, params) => {
    const { member, project } = await ofProject(caller, params)
    return { member, project, path: `${basePath}/api/v1/orgs/${member.org}/projects/${project.id}/sub-rules` }
  }
  return [
    ...routesAt('/api/v1/orgs/:oid/sub-rules', atOrganization, parts),
    ...atBothPaths(routesAt('/api/v1/orgs/:oid/projects/:pid/sub-rules', atProject, parts)),
  ]
}

function routesAt(all: string, within: Finder<Place>, parts: SubRuleParts): readonly Route[] {
  const one = `${all}/:name`
  return [
    ...listRoutes(all, within, parts),
    ...oneRoutes(one, within, parts),
    ...versionRoutes(one, within, parts.compute),
  ]
}

function listRoutes(all: string, within: Finder<Place>, { database, compute }: SubRuleParts): readonly Route[] {
  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: 'List sub-rules and their uses',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(SubRule, 'SubRuleList') },
      async handle({ place, caller, query }) {
        const { member } = place
        const owner = ownerOf(place)
        const { rows, page } = await subRulesOn(member.scope, owner, pageOf(query, SORTS))
        const items = new Map(
          (await shown(member.scope, owner, caller, rows.slice(0, page.limit))).map((item) => [item.id, item]),
        )
        return json(
          200,
          listed(
            rows,
            page,
            (row) => row[page.sort],
            ({ id }) => items.get(id),
          ),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right: 'ruleset.edit',
      summary: 'Create a sub-rule',
      group,
      within,
      body: SubRuleRequest,
      answers: { 201: SubRule },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const { name, expected_seq = 0, ...sent } = body
        requireReach(place)
        requireName(name)
        const made = await saveSubRule(
          actingIn(database, asked),
          compute,
          name,
          sent.version,
          contentIn(sent),
          expected_seq,
        )
        return { ...json(201, made), headers: { location: `${place.path}/${encodeURIComponent(name)}` } }
      },
    }),
  ]
}

function oneRoutes(one: string, within: Finder<Place>, { database, compute }: SubRuleParts): readonly Route[] {
  return [
    memberRoute({
      method: 'GET',
      path: one,
      right: 'member',
      summary: 'Get a sub-rule',
      group,
      within,
      find: atSubRule,
      answers: { 200: SubRule },
      handle: async ({ place, caller, found }) =>
        json(200, (await shown(place.member.scope, ownerOf(place), caller, [found]))[0]),
    }),
    memberRoute({
      method: 'PUT',
      path: one,
      right: 'ruleset.edit',
      summary: 'Replace a sub-rule; rulesets use it when they are next published',
      group,
      within,
      body: SubRuleChange,
      answers: { 200: SubRule, 201: SubRule },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { place, body, params } = asked
        const { expected_seq, name: given, ...sent } = body
        const { name = '' } = params
        requireReach(place)
        requireName(name)
        refuseRenaming(name, given)
        const saved = await saveSubRule(
          actingIn(database, asked),
          compute,
          name,
          sent.version,
          contentIn(sent),
          expected_seq,
        )
        if (expected_seq > 0) return json(200, saved)
        return { ...json(201, saved), headers: { location: `${place.path}/${encodeURIComponent(name)}` } }
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: one,
      right: 'ruleset.edit',
      summary: 'Delete an unused sub-rule',
      group,
      within,
      find: atSubRule,
      query: { expected_seq: Type.Integer({ minimum: 1, description: '`seq` of the sub-rule to delete' }) },
      answers: { 204: Empty },
      hasConflicts: true,
      async handle(asked) {
        const { place, found, query } = asked
        requireReach(place)
        await deleteSubRule(actingIn(database, asked), found.name, expectedSeqIn(query))
        return { status: 204 }
      },
    }),
  ]
}

/** Sub-rules of the organization apply in all of its projects. */
function requireReach({ member, project }: Place): void {
  if (project === undefined && !member.reachesAll)
    throw failures.forbidden(
      'a key that is limited to projects or environments changes no sub-rules of the organization',
      'ruleset.edit',
    )
}

/** Throws 400 for an invalid sub-rule name. */
export function requireName(name: string): void {
  const reason = refuseName(name)
  if (reason !== undefined) throw failures.invalid('/name', `is not a sub-rule name: ${reason}`, 'bad-name')
}

function expectedSeqIn(query: URLSearchParams): number {
  const given = query.get('expected_seq')
  if (given === null) throw invalidParameter('expected_seq', 'is missing: it says which save is to be deleted')
  if (!/^\d{1,9}$/.test(given)) throw invalidParameter('expected_seq', 'must be a whole number')
  return Number(given)
}
