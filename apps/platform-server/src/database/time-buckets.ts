import { sql } from 'kysely'

/** The number of the step in which a time is, counted from 1970 on. */
export const stepOf = (column: string, seconds: number) =>
  sql<number>`floor(extract(epoch from ${sql.ref(column)}) / ${sql.lit(seconds)})::float8`
