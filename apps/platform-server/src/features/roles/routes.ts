import { json } from '../../http/json-response.ts'
import { inOrganization, type InOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG } from '../../resources/revision.ts'
import { changeRoute, deleteRoute, readRoute } from '../../resources/revision-routes.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { nameOf } from '../identity/accounts.ts'
import { Role, RoleChange, RoleRequest } from './model.ts'
import { roleById, roleOf, rolesOn } from './repository.ts'
import { changeRole, createRole, deleteRole } from './service.ts'

export interface RoleParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Roles'
const SORTS = ['name', 'created_at', 'updated_at'] as const

/** Routes of an organization's roles, built-in and custom. */
export function roleRoutes({ database, basePath }: RoleParts): readonly Route[] {
  const within = inOrganization(database)
  const all = '/api/v1/orgs/:oid/roles'
  const one = `${all}/:id`
  const find = async ({ member }: InOrganization, { id = '' }: Readonly<Record<string, string>>) =>
    roleOf(await roleById(member.scope, id))

  const common = { path: one, group, within, find }
  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: 'List roles',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Role, 'RoleList') },
      async handle({ place, query }) {
        const page = pageOf(query, SORTS)
        const rows = await rolesOn(place.member.scope, page)
        return json(
          200,
          listed(rows, page, (row) => row[page.sort], roleOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right: 'role.manage',
      summary: 'Create a role from permissions that the caller holds',
      group,
      within,
      body: RoleRequest,
      answers: { 201: Role },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const request = { ...body, name: nameOf(body.name, '/name') }
        const role = await createRole(actingIn(database, asked), request)
        return created(role, `${basePath}/api/v1/orgs/${place.member.org}/roles/${role.id}`)
      },
    }),
    readRoute({ ...common, summary: 'A role', answer: Role, current: ({ found }) => found }),
    changeRoute({
      ...common,
      right: 'role.manage',
      summary: 'Update a custom role',
      body: RoleChange,
      answer: Role,
      current: ({ found }) => found,
      change(asked) {
        const { body, found, rev } = asked
        const change = body.name === undefined ? body : { ...body, name: nameOf(body.name, '/name') }
        return changeRole(actingIn(database, asked), found.id, change, rev)
      },
    }),
    deleteRoute({
      ...common,
      right: 'role.manage',
      summary: 'Delete an unused role',
      current: ({ found }) => found,
      remove: (asked) => deleteRole(actingIn(database, asked), asked.found.id, asked.rev),
    }),
  ]
}
