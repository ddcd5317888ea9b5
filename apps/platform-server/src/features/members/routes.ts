import { json } from '../../http/json-response.ts'
import type { Caller } from '../../access/caller.ts'
import { inOrganization, type InOrganization, type Member as Rights, memberOf } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import type { Page } from '../../database/page.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import type { Cookies } from '../../http/cookies.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { alsoAt, Empty, memberRoute, openRoute, type Route } from '../../http/route.ts'
import { browserOf, sessionCookies } from '../identity/browser.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { accept, previewOf } from './invitation-acceptance.ts'
import { type InvitationParts, invite, withdraw } from './invitations.ts'
import {
  Accepted,
  AcceptRequest,
  Invitation,
  InvitationPreview,
  InvitationPreviewRequest,
  InvitedMember,
  Member,
  MemberRequest,
  MemberRoles,
} from './model.ts'
import {
  invitationById,
  invitationOf,
  invitationsOn,
  memberByEither,
  memberOfRow,
  membersOn,
  roleNames,
} from './repository.ts'
import { changeRoles, isSelf, removeMember } from './service.ts'

export interface MemberParts extends InvitationParts {
  readonly basePath: string
  readonly signIn: SignIn
  readonly cookies: Cookies
}

const group = 'Members'
const SORTS = ['created_at', 'name'] as const
const all = '/api/v1/orgs/:oid/members'
const below = '/api/v1/orgs/:parent_id/sub-orgs/:sub_id/members'

/** Routes of members and invitations. */
export function memberRoutes(parts: MemberParts): readonly Route[] {
  const { database } = parts
  return [
    ...membershipRoutes(parts, all, inOrganization(database)),
    ...membershipRoutes(parts, below, inSubOrganization(database)),
    ...oneMemberRoutes(database),
    ...invitationRoutes(database),
    acceptRoute(parts),
    previewRoute(database),
  ]
}

/** The member routes of an organization, under one of its two paths. */
function membershipRoutes(
  parts: MemberParts,
  path: string,
  within: (caller: Caller, params: Readonly<Record<string, string>>) => Promise<InOrganization>,
): readonly Route[] {
  const { database, basePath } = parts
  const list = memberRoute({
    method: 'GET',
    path: all,
    right: 'member',
    summary: 'List members, including inherited ones',
    group,
    within,
    query: listQuery(SORTS),
    answers: { 200: ListOf(Member, 'MemberList') },
    async handle({ place, query }) {
      const page = pageOf(query, SORTS)
      return json(200, await membersPage(database, place.member, page))
    },
  })
  const invitation = memberRoute({
    method: 'POST',
    path: all,
    right: 'member.manage',
    summary: 'Invite a member',
    group,
    within,
    body: MemberRequest,
    answers: { 201: InvitedMember },
    answerHeaders: { 201: LOCATION },
    hasConflicts: true,
    async handle(asked) {
      const member = await invite(parts, actingIn(parts.database, asked), asked.body)
      return created(member, `${basePath}/api/v1/orgs/${asked.place.member.org}/members/${member.id}`)
    },
  })
  return [alsoAt(list, path), alsoAt(invitation, path)]
}

async function membersPage(database: Database, { org }: Rights, page: Page) {
  const rows = await membersOn(database, org, page)
  const roles = await roleNames(database.unscoped.tables, org, rows)
  return listed(
    rows,
    page,
    (row) => (page.sort === 'name' ? row.email : row.invited_at),
    (row) => memberOfRow(row, roles.get(row.id) ?? [], org),
  )
}

function oneMemberRoutes(database: Database): readonly Route[] {
  const within = inOrganization(database)
  const find = ({ member }: InOrganization, { uid = '' }: Readonly<Record<string, string>>) =>
    memberByEither(member.scope, uid)
  return [
    memberRoute({
      method: 'PUT',
      path: `${all}/:uid/roles`,
      right: 'member.manage',
      summary: 'Replace the roles of a member',
      group,
      within,
      find,
      body: MemberRoles,
      answers: { 200: Member },
      hasConflicts: true,
      async handle(asked) {
        const { body, found } = asked
        return json(200, await changeRoles(actingIn(database, asked), found.id, body.roles))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${all}/:uid`,
      right: 'member.manage',
      summary: 'Remove a member, or leave the organization (no permission needed)',
      group,
      within,
      find,
      isOwn: isSelf,
      answers: { 204: Empty },
      hasConflicts: true,
      async handle(asked) {
        await removeMember(actingIn(database, asked), asked.found.id)
        return { status: 204 }
      },
    }),
  ]
}

function invitationRoutes(database: Database): readonly Route[] {
  const within = inOrganization(database)
  const path = '/api/v1/orgs/:oid/invitations'
  return [
    memberRoute({
      method: 'GET',
      path,
      right: 'member.manage',
      summary: 'List pending and expired invitations',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Invitation, 'InvitationList') },
      async handle({ place, query }) {
        const page = pageOf(query, SORTS)
        const { org, scope } = place.member
        const rows = await invitationsOn(scope, page)
        const members = rows.map(({ member_id: id }) => ({ id }))
        const roles = await roleNames(database.unscoped.tables, org, members)
        const key = (row: (typeof rows)[number]) => (page.sort === 'name' ? row.email : row.created_at)
        return json(
          200,
          listed(rows, page, key, (row) => invitationOf(row, roles.get(row.member_id) ?? [])),
        )
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      right: 'member.manage',
      summary: 'Withdraw an invitation',
      group,
      within,
      find: ({ member }, { id = '' }) => invitationById(member.scope, id),
      answers: { 204: Empty },
      async handle(asked) {
        await withdraw(actingIn(database, asked), asked.found.id)
        return { status: 204 }
      },
    }),
  ]
}

function acceptRoute({ database, signIn, cookies }: MemberParts): Route {
  return openRoute({
    method: 'POST',
    path: '/api/v1/invitations/accept',
    signsIn: true,
    right: 'none',
    summary: 'Accept an invitation with a new account or the signed-in one',
    group,
    body: AcceptRequest,
    answers: { 200: Accepted },
    answerHeaders: { 200: { 'set-cookie': 'the session' } },
    hasConflicts: true,
    async handle(asked) {
      const browser = browserOf(asked, asked.caller, cookies)
      const { org, signedIn } = await accept(database, signIn, asked.caller, browser, asked.body)
      return { ...json(200, { user: signedIn.user, org_id: org }), cookies: sessionCookies(signedIn, cookies) }
    },
  })
}

function previewRoute(database: Database): Route {
  return openRoute({
    method: 'POST',
    path: '/api/v1/invitations/preview',
    signsIn: true,
    right: 'none',
    summary: 'Read what an invitation is for',
    group,
    body: InvitationPreviewRequest,
    answers: { 200: InvitationPreview },
    handle: async ({ body }) => json(200, await previewOf(database, body.token)),
  })
}

/** Resolve a sub-organization from both IDs of the path. A sub-organization with another parent is not found. */
function inSubOrganization(database: Database) {
  return async (
    caller: Caller,
    { parent_id: parent = '', sub_id: id = '' }: Readonly<Record<string, string>>,
  ): Promise<InOrganization> => {
    const member = await memberOf(database, caller, id)
    const row = await member?.scope
      .read('organizations')
      .selectFrom('organizations')
      .select('parent_org_id')
      .executeTakeFirst()
    if (member === undefined || row?.parent_org_id !== parent.toLowerCase()) throw failures.notFound('organization', id)
    return { member }
  }
}
