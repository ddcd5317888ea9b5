import { json } from '../../http/json-response.ts'
import type { Caller } from '../../access/caller.ts'
import { inOrganization, type InOrganization, type Member } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { authorOf } from '../../resources/author.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, expectedRevision, IF_MATCH, revised } from '../../resources/revision.ts'
import { changeRoute } from '../../resources/revision-routes.ts'
import { callerRoute, Empty, memberRoute, personRoute, type Route } from '../../http/route.ts'
import { nameOf } from '../identity/accounts.ts'
import { Organization, OrganizationChange, OrganizationRequest } from './model.ts'
import { organizationsOf, shownTo, subOrganizationsOf } from './repository.ts'
import {
  changeOrganization,
  createOrganization,
  createSubOrganization,
  deleteOrganization,
  organization,
} from './service.ts'

export interface OrganizationParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Organizations'
const ONE = '/api/v1/orgs/:id'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const OrganizationList = ListOf(Organization, 'OrganizationList')

/** Routes of organizations and sub-organizations. */
export function organizationRoutes(parts: OrganizationParts): readonly Route[] {
  return [...membershipRoutes(parts), ...oneOrganizationRoutes(parts), ...subOrganizationRoutes(parts)]
}

/** The organizations of the caller. */
function membershipRoutes({ database, basePath }: OrganizationParts): readonly Route[] {
  return [
    callerRoute({
      method: 'GET',
      path: '/api/v1/orgs',
      right: 'any',
      summary: "List the caller's organizations",
      group,
      query: listQuery(SORTS),
      answers: { 200: OrganizationList },
      async handle({ caller, query }) {
        const page = pageOf(query, SORTS)
        const rows = await organizationsOf(database, caller, page)
        return json(200, await listOf(database, rows, page, caller))
      },
    }),
    personRoute({
      method: 'POST',
      path: '/api/v1/orgs',
      right: 'person',
      summary: 'Create an organization; the caller becomes its owner',
      group,
      body: OrganizationRequest,
      answers: { 201: Organization },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const request = { ...asked.body, name: nameOf(asked.body.name, '/name') }
        const made = await createOrganization(database, asked.caller, authorOf(asked.caller, asked), request)
        return created(made, pathOf(basePath, made.id))
      },
    }),
  ]
}

function oneOrganizationRoutes({ database }: OrganizationParts): readonly Route[] {
  const within = inOrganization(database)
  const shown = (place: InOrganization, caller: Caller) => organization(database, caller, place.member.org)
  return [
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: 'Get an organization',
      group,
      within,
      answers: { 200: Organization },
      answerHeaders: { 200: ETAG },
      handle: async ({ raw, place, caller }) => revised(raw, await shown(place, caller)),
    }),
    changeRoute({
      path: ONE,
      right: 'org.manage',
      summary: 'Update an organization',
      group,
      within,
      body: OrganizationChange,
      answer: Organization,
      current: ({ place, caller }) => shown(place, caller),
      change(asked) {
        const { body, rev } = asked
        const change = body.name === undefined ? body : { ...body, name: nameOf(body.name, '/name') }
        return changeOrganization(actingIn(database, asked), change, rev)
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: ONE,
      right: 'org.manage',
      summary: 'Delete an organization without projects, sub-organizations and engines',
      group,
      headers: IF_MATCH,
      within,
      answers: { 204: Empty },
      hasConflicts: true,
      async handle(asked) {
        const { caller, place, raw } = asked
        const before = await shown(place, caller)
        const rev = expectedRevision(raw, before)
        await deleteOrganization(database, authorOf(caller, asked), before, place.member.org, rev)
        return { status: 204 }
      },
    }),
  ]
}

function subOrganizationRoutes({ database, basePath }: OrganizationParts): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ONE}/sub-orgs`,
      right: 'member',
      summary: 'List sub-organizations, including those without access',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: OrganizationList },
      async handle({ caller, place, query }) {
        const page = pageOf(query, SORTS)
        const rows = await subOrganizationsOf(database, place.member.org, page)
        return json(200, await listOf(database, rows, page, caller))
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/sub-orgs`,
      right: 'org.manage',
      summary: 'Create a sub-organization',
      group,
      within,
      body: OrganizationRequest,
      answers: { 201: Organization },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { caller, place } = asked
        const request = { ...asked.body, name: nameOf(asked.body.name, '/name') }
        const made = await createSubOrganization(
          database,
          caller,
          authorOf(caller, asked),
          orgOf(place.member),
          request,
        )
        return created(made, pathOf(basePath, made.id))
      },
    }),
  ]
}

const pathOf = (basePath: string, id: string) => `${basePath}/api/v1/orgs/${id}`

async function listOf(
  database: Database,
  rows: Awaited<ReturnType<typeof organizationsOf>>,
  page: ReturnType<typeof pageOf>,
  caller: Caller,
) {
  const organizations = await shownTo(database, caller, rows)
  return listed(
    rows,
    page,
    (row) => row[page.sort],
    ({ id }) => organizations.get(id),
  )
}

const orgOf = ({ org }: Member) => org
