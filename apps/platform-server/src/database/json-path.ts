import { type Expression, type RawBuilder, sql } from 'kysely'

/**
 * The text at a path within a JSON column; null if there is none. @param path names without braces, commas or quotes
 */
export const textAt = (column: Expression<unknown>, path: readonly string[]): RawBuilder<string | null> =>
  sql`${column} #>> cast(${`{${path.join(',')}}`} as text[])`
