import { sql } from 'kysely'

/**
 * The time of the database, as of the beginning of the transaction. Replicas that share work go by this clock, since their own
 * ones differ.
 */
export const databaseNow = sql<Date>`now()`

/** The same, some milliseconds later. */
export const databaseLater = (milliseconds: number) =>
  sql<Date>`now() + ${milliseconds}::double precision * interval '1 millisecond'`
