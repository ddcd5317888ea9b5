import type {
  DeleteQueryBuilder,
  DeleteResult,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  QueryCreator,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely'
import type { OrgId } from './org-id.ts'
import type { OrgTables, OrgViews, Tables } from './tables.ts'

type OrgTable = keyof OrgTables
type Readable = OrgTables & OrgViews
type NewRow<Table extends OrgTable> = Omit<Insertable<OrgTables[Table]>, 'org_id'>

/**
 * One organization's part of the database, the only access of a handler. It cannot reach rows of another organization,
 * or tables that belong to no organization; a query that tries does not compile
 * (tests/platform/scope-misuse.testing.ts).
 */
export interface Scope {
  readonly org: OrgId
  /**
   * Reads these tables, each restricted to the organization. Join them as you like; another table is a compile error.
   */
  read<Table extends keyof Readable>(...tables: readonly Table[]): Pick<Kysely<Pick<Readable, Table>>, 'selectFrom'>
  /** Adds the organization to the row. */
  insert<Table extends OrgTable>(
    table: Table,
    rows: NewRow<Table> | readonly NewRow<Table>[],
  ): InsertQueryBuilder<Pick<OrgTables, Table>, Table, InsertResult>
  update<Table extends OrgTable>(
    table: Table,
  ): Pick<UpdateQueryBuilder<Pick<OrgTables, Table>, Table, Table, UpdateResult>, 'set'>
  delete<Table extends OrgTable>(table: Table): DeleteQueryBuilder<Pick<OrgTables, Table>, Table, DeleteResult>
}

/** Any table of an organization, as far as this file knows it. */
interface AnyTable {
  table: { org_id: OrgId }
}

/**
 * The scope of an organization on a connection or in a transaction.
 *
 * Reading goes through common table expressions that shadow the tables, so that joins and subqueries are restricted as
 * well; they are not materialized, and PostgreSQL plans the query as if it contained the condition.
 */
export function scopeOf(database: Kysely<Tables>, org: OrgId): Scope {
  // Kysely's types do not follow a table that is a type parameter: the promise of `Scope` is kept here without them.
  const any = database as unknown as QueryCreator<AnyTable>
  const named = (table: keyof Readable) => table as string as keyof AnyTable
  return {
    org,
    read(...tables) {
      const cut = [...new Set(tables)].reduce<QueryCreator<AnyTable>>(
        (query, table) =>
          query.with(
            (cte) => cte(named(table)).notMaterialized(),
            (inner) => inner.selectFrom(named(table)).selectAll().where('org_id', '=', org),
          ),
        any,
      )
      return cut
    },
    insert(table, rows) {
      const list: readonly object[] = Array.isArray(rows) ? rows : [rows]
      return any.insertInto(named(table)).values(list.map((row) => ({ ...row, org_id: org }))) as never
    },
    update: (table) => any.updateTable(named(table)).where('org_id', '=', org) as never,
    delete: (table) => any.deleteFrom(named(table)).where('org_id', '=', org) as never,
  }
}
