/** Rows of one statement: writing some thousands of them at once would hold the event loop, and one by one the database. */
const BATCH = 200

/** Many rows as those of several statements. */
export function* inBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH) yield rows.slice(start, start + BATCH)
}
