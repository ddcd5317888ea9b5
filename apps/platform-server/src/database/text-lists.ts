import { sql } from 'kysely'

/** That a column of texts has one of some values, of which there may be more than a query has parameters. */
export const isOneOf = (column: string, values: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${sql.val([...values])}::text[])`

/** That a column of lists has one of some values; an index over the lists (GIN) finds its rows. */
export const hasOneOf = (column: string, values: readonly string[], kind: 'text' | 'uuid' = 'text') =>
  sql<boolean>`${sql.ref(column)} && ${sql.val([...values])}::${sql.raw(kind)}[]`
