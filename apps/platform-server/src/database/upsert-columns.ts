import { type RawBuilder, sql } from 'kysely'

/** The assignment of `doUpdateSet`: an existing row takes these columns of the row to insert. */
export function upsertColumns<Column extends string>(
  ...columns: readonly Column[]
): Readonly<Record<Column, RawBuilder<never>>> {
  return Object.fromEntries(columns.map((column) => [column, sql.ref<never>(`excluded.${column}`)])) as Record<
    Column,
    RawBuilder<never>
  >
}
