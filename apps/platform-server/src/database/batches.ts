/**
 * Number of rows per statement: thousands of rows in one statement would block the event loop, and single rows the
 * database.
 */
const BATCH_SIZE = 200

/** Splits rows into those of several statements. */
export function* inBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH_SIZE) yield rows.slice(start, start + BATCH_SIZE)
}
