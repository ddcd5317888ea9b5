import { type RawBuilder, sql } from 'kysely'

/** What `doUpdateSet` stores in a row that is there already: these columns of the one that was to be inserted. */
export function upsertColumns<Column extends string>(
  ...columns: readonly Column[]
): Readonly<Record<Column, RawBuilder<never>>> {
  return Object.fromEntries(columns.map((column) => [column, sql.ref<never>(`excluded.${column}`)])) as Record<
    Column,
    RawBuilder<never>
  >
}
