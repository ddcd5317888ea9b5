import { recordOf } from '../../resources/resource-fields.ts'
import type { Selectable } from 'kysely'
import type { Caller } from '../../access/caller.ts'
import { FLOWS_DOWN, type Member, membershipsOf } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { Organization } from './model.ts'

/** Queries here read across organizations, where no scope protects them: each one restricts the organizations that it reads. */

type Row = Selectable<Tables['organizations']> & {
  readonly id: OrgId
  readonly member_count: number
  readonly child_count: number
  readonly project_count: number
}

/** Organizations with the number of their members, children and projects. */
const organizations = ({ unscoped }: Database) =>
  unscoped.tables
    .selectFrom('organizations as o')
    .selectAll('o')
    .select((eb) => [
      'o.org_id as id',
      eb
        .selectFrom('members as m')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('m.org_id', '=', 'o.org_id')
        .as('member_count'),
      eb
        .selectFrom('organizations as c')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('c.parent_org_id', '=', 'o.org_id')
        .as('child_count'),
      eb
        .selectFrom('projects as p')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('p.org_id', '=', 'o.org_id')
        .as('project_count'),
    ])

const COLUMNS = { id: 'o.org_id', texts: ['o.name', 'o.description'] } as const

/** A page of the organizations in which a caller may act. */
export async function organizationsOf(database: Database, caller: Caller, page: Page): Promise<readonly Row[]> {
  const all = organizations(database)
  const own =
    caller.kind === 'key'
      ? all.where('o.org_id', '=', caller.orgId)
      : all.where(({ or, exists, selectFrom }) =>
          or([
            exists(
              selectFrom('members as mine')
                .select('mine.id')
                .whereRef('mine.org_id', '=', 'o.org_id')
                .where('mine.user_id', '=', caller.id),
            ),
            exists(
              selectFrom('members as mine')
                .innerJoin('member_roles as mr', (join) =>
                  join.onRef('mr.org_id', '=', 'mine.org_id').onRef('mr.member_id', '=', 'mine.id'),
                )
                .innerJoin('roles as r', (join) =>
                  join.onRef('r.org_id', '=', 'mr.org_id').onRef('r.id', '=', 'mr.role_id'),
                )
                .select('mine.id')
                .whereRef('mine.org_id', '=', 'o.parent_org_id')
                .where('mine.user_id', '=', caller.id)
                .where('r.is_system', '=', true)
                .where('r.name', 'in', FLOWS_DOWN),
            ),
          ]),
        )
  return asRows(await onPage(own, page, { ...COLUMNS, key: `o.${page.sort}` }).execute())
}

/** A page of an organization's sub-organizations. */
export async function subOrganizationsOf(database: Database, parent: OrgId, page: Page): Promise<readonly Row[]> {
  const below = organizations(database).where('o.parent_org_id', '=', parent)
  return asRows(await onPage(below, page, { ...COLUMNS, key: `o.${page.sort}` }).execute())
}

/** One organization; undefined if it was deleted in the meantime. */
export async function organizationById(database: Database, org: OrgId): Promise<Row | undefined> {
  const [row] = asRows(await organizations(database).where('o.org_id', '=', org).execute())
  return row
}

/** A count over no rows is 0 and never null, but the types of subqueries allow null. */
type Counted = Omit<Row, 'member_count' | 'child_count' | 'project_count'> & {
  readonly member_count: number | null
  readonly child_count: number | null
  readonly project_count: number | null
}
function asRows(rows: readonly Counted[]): readonly Row[] {
  return rows.map((row) => ({
    ...row,
    member_count: row.member_count ?? 0,
    child_count: row.child_count ?? 0,
    project_count: row.project_count ?? 0,
  }))
}

/** Organizations in the form of the public API for their reader, in the same order. */
export async function shownTo(
  database: Database,
  caller: Caller,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Organization>> {
  const ids = rows.map(({ id }) => id)
  const memberships = await membershipsOf(database, caller, ids)
  return new Map(rows.map((row) => [row.id, organizationOf(row, memberships.get(row.id))]))
}

function organizationOf(row: Row, member: Pick<Member, 'roles' | 'permissions'> | undefined): Organization {
  return {
    ...recordOf(row),
    name: row.name,
    description: row.description,
    parent_org_id: row.parent_org_id,
    depth: row.parent_org_id === null ? 0 : 1,
    member_count: row.member_count,
    child_count: row.child_count,
    project_count: row.project_count,
    my_roles: [...(member?.roles ?? [])],
    my_permissions: [...(member?.permissions ?? [])],
  }
}
