import type { Selectable } from 'kysely'
import { FLOWS_DOWN } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId, type OrgId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables, OrgViews, Tables } from '../../database/tables.ts'
import type { Kysely } from 'kysely'
import { failures } from '../../errors.ts'
import type { RoleRow } from '../roles/repository.ts'
import type { Invitation, Member } from './model.ts'

/** A membership as stored. */
export type MemberRow = Selectable<OrgViews['member_profiles']>

/**
 * A page of an organization's members, including those of the parent whose roles flow down. It bypasses the scope, because
 * it is the only list that reads two organizations.
 */
export async function membersOn({ unscoped }: Database, org: OrgId, page: Page): Promise<readonly MemberRow[]> {
  const all = unscoped.tables
    .selectFrom('member_profiles as m')
    .selectAll('m')
    .where(({ or, and, eb, exists, selectFrom }) =>
      or([
        eb('m.org_id', '=', org),
        and([
          exists(
            selectFrom('organizations as o')
              .select('o.org_id')
              .where('o.org_id', '=', org)
              .whereRef('o.parent_org_id', '=', 'm.org_id'),
          ),
          eb('m.status', '=', 'active'),
          exists(
            selectFrom('member_roles as mr')
              .innerJoin('roles as r', (join) =>
                join.onRef('r.org_id', '=', 'mr.org_id').onRef('r.id', '=', 'mr.role_id'),
              )
              .select('r.id')
              .whereRef('mr.org_id', '=', 'm.org_id')
              .whereRef('mr.member_id', '=', 'm.id')
              .where('r.is_system', '=', true)
              .where('r.name', 'in', FLOWS_DOWN),
          ),
        ]),
      ]),
    )
  const key = page.sort === 'name' ? 'm.email' : 'm.invited_at'
  return onPage(all, page, { key, id: 'm.id', texts: ['m.email', 'm.display_name'] }).execute()
}

/** Role names by membership. */
export async function roleNames(
  tables: Kysely<Tables>,
  org: OrgId,
  rows: readonly { readonly id: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (rows.length === 0) return new Map()
  const held = await tables
    .selectFrom('member_roles as mr')
    .innerJoin('roles as r', (join) => join.onRef('r.org_id', '=', 'mr.org_id').onRef('r.id', '=', 'mr.role_id'))
    .select(['mr.org_id', 'mr.member_id', 'r.name', 'r.is_system'])
    .where(
      'mr.member_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('r.name')
    .execute()
  const counting = held.filter((role) => role.org_id === org || (role.is_system && FLOWS_DOWN.includes(role.name)))
  const grouped = Map.groupBy(counting, ({ member_id }) => member_id)
  return new Map([...grouped].map(([member, roles]) => [member, roles.map(({ name }) => name)]))
}

/** A membership by its ID or by its user's ID. Throws `not-found`, also for members of the parent. */
export async function memberByEither(scope: Scope, id: string): Promise<MemberRow> {
  const row = isId(id)
    ? await scope
        .read('member_profiles')
        .selectFrom('member_profiles')
        .selectAll()
        .where((eb) => eb.or([eb('id', '=', id), eb('user_id', '=', id)]))
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw failures.notFound('member', id)
  return row
}

/** The roles of one membership, by name. */
export function rolesOfMember(scope: Scope, id: string): Promise<RoleRow[]> {
  return scope
    .read('roles', 'member_roles')
    .selectFrom('roles')
    .innerJoin('member_roles', 'member_roles.role_id', 'roles.id')
    .selectAll('roles')
    .where('member_roles.member_id', '=', id)
    .orderBy('roles.name')
    .execute()
}

/** Number of active members with the role `owner`. */
export async function countOwners(scope: Scope): Promise<number> {
  const { owners } = await scope
    .read('members', 'member_roles', 'roles')
    .selectFrom('member_roles')
    .innerJoin('members', 'members.id', 'member_roles.member_id')
    .innerJoin('roles', 'roles.id', 'member_roles.role_id')
    .select((eb) => eb.fn.countAll<number>().as('owners'))
    .where('members.status', '=', 'active')
    .where('roles.is_system', '=', true)
    .where('roles.name', '=', 'owner')
    .executeTakeFirstOrThrow()
  return owners
}

/** Active members with their roles, to find those who may perform an action. */
export function activeHolders(scope: Scope) {
  return scope
    .read('members', 'member_roles', 'roles')
    .selectFrom('members')
    .innerJoin('member_roles', 'member_roles.member_id', 'members.id')
    .innerJoin('roles', 'roles.id', 'member_roles.role_id')
    .select(['members.user_id', 'roles.name', 'roles.is_system', 'roles.permissions'])
    .where('members.status', '=', 'active')
    .execute()
}

/** A page of open invitations, including expired ones. */
export async function invitationsOn(scope: Scope, page: Page): Promise<readonly InvitationRow[]> {
  const all = scope
    .read('invitations', 'members')
    .selectFrom('invitations')
    .innerJoin('members', 'members.id', 'invitations.member_id')
    .selectAll('invitations')
    .select('members.email')
  return onPage(all, page, {
    key: page.sort === 'name' ? 'members.email' : 'invitations.created_at',
    id: 'invitations.id',
    texts: ['members.email'],
  }).execute()
}

/** Throws `not-found`. */
export async function invitationById(scope: Scope, id: string): Promise<InvitationRow> {
  const row = isId(id)
    ? await scope
        .read('invitations', 'members')
        .selectFrom('invitations')
        .innerJoin('members', 'members.id', 'invitations.member_id')
        .selectAll('invitations')
        .select('members.email')
        .where('invitations.id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw failures.notFound('invitation', id)
  return row
}

/** An invitation as stored, with the address of its member. */
export type InvitationRow = Selectable<OrgTables['invitations']> & { readonly email: string }

/** A member of an organization in the form of the public API. */
export function memberOfRow(row: MemberRow, roles: readonly string[], org: OrgId): Member {
  return {
    id: row.id,
    user_id: row.user_id,
    email: row.email,
    display_name: row.display_name,
    roles: [...roles],
    status: row.status,
    inherited_from: row.org_id === org ? null : row.org_id,
    invited_at: row.invited_at.toISOString(),
  }
}

/** An invitation in the form of the public API, which never contains its token. */
export function invitationOf(row: InvitationRow, roles: readonly string[]): Invitation {
  return {
    id: row.id,
    member_id: row.member_id,
    email: row.email,
    roles: [...roles],
    prefix: row.prefix,
    sent: row.sent,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    expires_at: row.expires_at.toISOString(),
  }
}
