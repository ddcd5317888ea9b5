/**
 * Rows of one statement: thousands of rows in one statement would block the event loop, and single rows the database.
 */
const BATCH = 200

/** Many rows as those of several statements. */
export function* inBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH)
}
