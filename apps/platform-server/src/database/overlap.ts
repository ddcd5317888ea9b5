import { sql } from 'kysely'

/** Whether a column of texts has one of these. */
export const overlaps = (column: string, texts: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} && ${texts}::text[]`
