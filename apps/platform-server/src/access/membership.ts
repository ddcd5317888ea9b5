import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { claimedOrgId, NO_ID, type OrgId } from '../database/org-id.ts'
import type { Scope } from '../database/scope.ts'
import type { Tables } from '../database/tables.ts'
import { failures } from '../errors.ts'
import { type Action, type BuiltInRole, isAction, isBuiltIn, ROLE_ACTIONS } from './actions.ts'
import type { Caller, KeyHolder, Person } from './caller.ts'

/** A caller in an organization. */
export interface Member {
  readonly org: OrgId
  /** Read access to the organization's part of the database. */
  readonly scope: Scope
  readonly permissions: ReadonlySet<Action>
  /** Names of the roles; a key has none. */
  readonly roles: ReadonlySet<string>
  /**
   * True if the actions apply everywhere in the organization; false for a key that is limited to projects or
   * environments.
   */
  readonly reachesAll: boolean
  /** Actions that the caller holds but that do not apply at the target of the request, each with the reason. */
  readonly withheld: ReadonlyMap<Action, string>
}

const withholding = (reason: string, actions: readonly Action[]): ReadonlyMap<Action, string> =>
  new Map(actions.map((action) => [action, reason]))

const NOTHING_WITHHELD = withholding('', [])

const BEYOND_REACH = 'a key that is limited to projects or environments changes nothing of the whole organization'
/** Actions outside of a project that reach beyond the projects and environments of a limited key. */
const OF_ORGANIZATION = withholding(BEYOND_REACH, [
  'org.manage',
  'member.manage',
  'role.manage',
  'server.manage',
  'project.manage',
])
const OF_ORGANIZATION_AND_TOKENS = new Map([...OF_ORGANIZATION, ...withholding(BEYOND_REACH, ['token.manage'])])

const OF_PROJECT = withholding('a key that is limited to environments changes nothing of the whole project', [
  'project.manage',
])

/** Actions that a caller lacks within a project that it reaches. */
export function withheldInProject(caller: Caller): Member['withheld'] {
  return caller.kind === 'key' && caller.environments !== null ? OF_PROJECT : NOTHING_WITHHELD
}

/** The organization that a request names in its path. */
export interface InOrganization {
  readonly member: Member
}

/**
 * Finds a caller in the organization `:oid` (or `:id`, in routes of organizations). Throws `not-found` for callers who
 * are not members, so that only members learn whether an organization exists.
 */
export function inOrganization(database: Database) {
  return async (caller: Caller, params: Readonly<Record<string, string>>): Promise<InOrganization> => {
    const id = params['oid'] ?? params['id'] ?? ''
    const member = await memberOf(database, caller, id)
    if (member === undefined) throw failures.notFound('organization', id)
    return { member }
  }
}

/**
 * Like `inOrganization`, for tokens that grant access to everything in the organization: a limited key cannot manage
 * them.
 */
export function inWholeOrganization(database: Database) {
  const find = inOrganization(database)
  return async (caller: Caller, params: Readonly<Record<string, string>>): Promise<InOrganization> => {
    const { member } = await find(caller, params)
    return { member: member.reachesAll ? member : { ...member, withheld: OF_ORGANIZATION_AND_TOKENS } }
  }
}

/**
 * The id of no organization. A lookup that must fail uses it, so that an unknown resource takes as many queries as a
 * foreign one.
 */
export const NO_ORG = NO_ID

/**
 * A caller in an organization, by the organization's id; undefined if the caller is not a member, or the organization
 * does not exist.
 */
export async function memberOf(database: Database, caller: Caller, id: string): Promise<Member | undefined> {
  const claimed = claimedOrgId(id)
  if (claimed === undefined) return undefined
  return caller.kind === 'user' ? personIn(database, caller, claimed) : keyIn(database, caller, claimed)
}

/** A key may act only in its organization, within its scopes. */
function keyIn(database: Database, key: KeyHolder, claimed: OrgId): Member | undefined {
  return key.orgId.toLowerCase() === claimed.toLowerCase() ? memberByKey(database, key.orgId, key) : undefined
}

/** The roles that also apply in child organizations. */
export const FLOWS_DOWN: readonly string[] = ['owner', 'admin'] satisfies readonly BuiltInRole[]

async function personIn(database: Database, person: Person, claimed: OrgId): Promise<Member | undefined> {
  const [member] = await personInEach(database, person.id, [claimed])
  return member
}

/**
 * The memberships of a person in those organizations where the person is a member or has a role that flows down from
 * the parent.
 */
async function personInEach(database: Database, id: string, claimed: readonly OrgId[]): Promise<readonly Member[]> {
  const held = await rolesHeld(database.unscoped.tables, id, claimed)
  return Array.from(held, ([org, roles]) =>
    memberWith(
      database,
      org,
      actionsOfRoles(roles),
      roles.map(({ name }) => name),
    ),
  )
}

/** The current actions of a person in an organization; undefined if the person is not a member. */
export async function actionsIn(
  tables: Kysely<Tables>,
  id: string,
  org: OrgId,
): Promise<ReadonlySet<Action> | undefined> {
  const roles = (await rolesHeld(tables, id, [org])).get(org)
  return roles && new Set(actionsOfRoles(roles))
}

interface HeldRole {
  readonly name: string
  readonly actions: readonly Action[]
}

/** Every member may read. */
const actionsOfRoles = (roles: readonly HeldRole[]): readonly Action[] => [
  'project.read',
  ...roles.flatMap(({ actions }) => actions),
]

/** The roles of a person in each organization in which they apply, in one query. */
async function rolesHeld(
  tables: Kysely<Tables>,
  id: string,
  claimed: readonly OrgId[],
): Promise<ReadonlyMap<OrgId, readonly HeldRole[]>> {
  if (claimed.length === 0) return new Map()
  const rows = await tables
    .selectFrom('organizations as o')
    .innerJoin('members as m', (join) =>
      join.on((eb) => eb.or([eb('m.org_id', '=', eb.ref('o.org_id')), eb('m.org_id', '=', eb.ref('o.parent_org_id'))])),
    )
    .leftJoin('member_roles as mr', (join) =>
      join.onRef('mr.org_id', '=', 'm.org_id').onRef('mr.member_id', '=', 'm.id'),
    )
    .leftJoin('roles as r', (join) => join.onRef('r.org_id', '=', 'mr.org_id').onRef('r.id', '=', 'mr.role_id'))
    .select(['o.org_id as org', 'm.org_id as held_in', 'r.name', 'r.is_system', 'r.permissions'])
    .where('o.org_id', 'in', claimed)
    .where('m.user_id', '=', id)
    .where('m.status', '=', 'active')
    .execute()
  const held = rows.filter(
    ({ org, held_in, name, is_system }) =>
      held_in === org || (is_system === true && name !== null && FLOWS_DOWN.includes(name)),
  )
  return new Map(
    [...Map.groupBy(held, ({ org }) => org)].map(([org, own]) => [
      org,
      own.flatMap(({ name, is_system, permissions }) =>
        name === null ? [] : [{ name, actions: actionsOf(name, is_system === true, permissions ?? []) }],
      ),
    ]),
  )
}

/**
 * The organizations of a person and their children, whether or not the person's roles apply there. A join with both
 * conditions would compare each membership with every organization of the platform.
 */
export async function organizationsAround(tables: Kysely<Tables>, id: string): Promise<readonly OrgId[]> {
  const own = tables.selectFrom('members').select('org_id').where('user_id', '=', id).where('status', '=', 'active')
  const below = tables
    .selectFrom('organizations as o')
    .innerJoin('members as m', 'm.org_id', 'o.parent_org_id')
    .select('o.org_id')
    .where('m.user_id', '=', id)
    .where('m.status', '=', 'active')
  return (await own.union(below).execute()).map(({ org_id }) => org_id)
}

/** A caller in each of these organizations where it may act, in one query. */
export async function membershipsOf(
  database: Database,
  caller: Caller,
  orgs: readonly OrgId[],
): Promise<ReadonlyMap<OrgId, Member>> {
  const members =
    caller.kind === 'user'
      ? await personInEach(database, caller.id, orgs)
      : orgs.filter((org) => org === caller.orgId).map((org) => memberByKey(database, org, caller))
  return new Map(members.map((member) => [member.org, member]))
}

/**
 * The actions of a role: those of a built-in role are defined by the running program. Unknown actions, stored by a
 * newer program, are ignored.
 */
export function actionsOf(name: string, isSystem: boolean, permissions: readonly string[]): readonly Action[] {
  return isSystem && isBuiltIn(name) ? ROLE_ACTIONS[name] : permissions.filter(isAction)
}

function memberWith(
  database: Pick<Database, 'scope'>,
  org: OrgId,
  actions: readonly Action[],
  roles: readonly string[],
): Member {
  return {
    org,
    scope: database.scope(org),
    permissions: new Set(actions),
    roles: new Set(roles),
    reachesAll: true,
    withheld: NOTHING_WITHHELD,
  }
}

/** @internal */
export function memberByKey(
  database: Pick<Database, 'scope'>,
  org: OrgId,
  { scopes, projectIds, environments }: KeyHolder,
): Member {
  const member = memberWith(database, org, scopes, [])
  const reachesAll = projectIds === null && environments === null
  return reachesAll ? member : { ...member, reachesAll, withheld: OF_ORGANIZATION }
}
