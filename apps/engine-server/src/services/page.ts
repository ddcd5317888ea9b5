import { defined } from '@engine/expression'

/** The requested part of a list. */
export interface PageQuery {
  /** Maximum number of rows; undefined: all. */
  readonly limit?: number | undefined
  /** The key of the last row of the previous page. */
  readonly after?: string | undefined
  /** Text that a row must contain, ignoring case. */
  readonly contains?: string | undefined
}

/** Some rows of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

/**
 * A page of rows that are sorted by key. Linear in the number of rows.
 *
 * @param textsOf returns the searched texts of a row
 */
export function pageOf<Row>(
  rows: Iterable<Row>,
  { limit = Infinity, after, contains }: PageQuery,
  keyOf: (row: Row) => string,
  textsOf: (row: Row) => readonly (string | null)[],
): Page<Row> {
  const wanted = contains?.toLowerCase()
  const found: Row[] = []
  for (const row of rows) {
    if (after !== undefined && keyOf(row) <= after) continue
    if (wanted !== undefined && !textsOf(row).some((text) => text?.toLowerCase().includes(wanted) === true)) continue
    if (found.length === limit) return { rows: found, next: keyOf(defined(found.at(-1))) }
    found.push(row)
  }
  return { rows: found, next: undefined }
}
