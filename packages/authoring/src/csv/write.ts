/**
 * What spreadsheets may take for a formula: a cell that begins with one of these characters, also in full width, and a cell
 * that looks like a neutralized one already.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const NEUTRALIZED = /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Records as CSV (RFC 4180), whose cells no spreadsheet calculates: `'` is put in front of what would be a formula, and
 * `csvRecords` takes it off again.
 */
export function csvText(records: readonly (readonly string[])[]): string {
  return records.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

/** A cell that no spreadsheet calculates. */
export function neutralized(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

/** The cell as it was before it was neutralized. */
export function withoutNeutralization(cell: string): string {
  return NEUTRALIZED.test(cell) ? cell.slice(1) : cell
}

function cellText(cell: string): string {
  const text = neutralized(cell)
  // Quotes also keep blanks at the ends, and what other separators would cut.
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
