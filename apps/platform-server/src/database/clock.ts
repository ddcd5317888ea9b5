import { sql } from 'kysely'

/**
 * The time of the database, at the start of the transaction. Replicas that share work use this clock, since their own
 * clocks differ.
 */
export const databaseNow = sql<Date>`now()`

/** The time of the database plus a number of milliseconds. */
export const databaseLater = (milliseconds: number) =>
  sql<Date>`now() + ${milliseconds}::double precision * interval '1 millisecond'`
