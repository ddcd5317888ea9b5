import type { Row } from '@engine/authoring'
import type { GridColumn } from './rows.ts'

/** A cell of the visible rows. */
export interface FoundCell {
  readonly row: number
  readonly column: number
}

/** Maximum number of matches. */
const MAX_FOUND = 100_000

/** The cells whose displayed text contains a text, row by row, ignoring case. Linear in the cells. */
export function findCells(
  rows: readonly Row[],
  columns: readonly GridColumn[],
  text: string,
  shownText: (row: Row, column: GridColumn) => string,
): readonly FoundCell[] {
  if (text === '') return []
  const wanted = text.toLowerCase()
  const found: FoundCell[] = []
  for (const [row, one] of rows.entries())
    for (const [column, of] of columns.entries())
      if (found.length < MAX_FOUND && shownText(one, of).toLowerCase().includes(wanted)) found.push({ row, column })
  return found
}

/** A text with all occurrences of another text replaced, ignoring case. */
export function replacedText(text: string, wanted: string, by: string): string {
  if (wanted === '') return text
  const lower = text.toLowerCase()
  // Some letters change their length in lower case: these texts are matched with case.
  const [where, what] = lower.length === text.length ? [lower, wanted.toLowerCase()] : [text, wanted]
  let result = ''
  let at = 0
  for (let next = where.indexOf(what); next >= 0; next = where.indexOf(what, at)) {
    result += text.slice(at, next) + by
    at = next + wanted.length
  }
  return result + text.slice(at)
}
