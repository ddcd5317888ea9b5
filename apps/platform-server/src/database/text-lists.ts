import { sql } from 'kysely'

/** That a column of texts has one of some values, of which there may be more than a query has parameters. */
export const isOneOf = (column: string, values: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${sql.val([...values])}::text[])`

/** That a column of lists has one of some values; an index over the lists (GIN) finds its rows. */
export const hasOneOf = (column: string, values: readonly string[], kind: 'text' | 'uuid' = 'text') =>
  sql<boolean>`${sql.ref(column)} && ${sql.val([...values])}::${sql.raw(kind)}[]`

/**
 * That a column of lists of dotted paths has one of some paths, or one below: `order` for `order.total`. Costs the parts of the
 * paths in the column.
 */
export const hasPathOf = (column: string, paths: readonly string[]) =>
  sql<boolean>`exists (
    select 1 from unnest(${sql.ref(column)}) as item, string_to_array(item, '.') as parts, generate_series(1, cardinality(parts)) as depth
    where array_to_string(parts[1:depth], '.') = any(${sql.val([...paths])}::text[]))`
