/**
 * Potential spreadsheet formulas: cells that start with one of these characters, also in full width, and cells that
 * look already neutralized.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const NEUTRALIZED = /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Records as CSV (RFC 4180) that no spreadsheet evaluates: potential formulas get a leading `'`, which `csvRecords`
 * removes.
 */
export function csvText(records: readonly (readonly string[])[]): string {
  return records.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

/** A cell that no spreadsheet calculates. */
export function neutralized(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell
}

/** The original of a neutralized cell. */
export function withoutNeutralization(cell: string): string {
  return NEUTRALIZED.test(cell) ? cell.slice(1) : cell
}

function cellText(cell: string): string {
  const text = neutralized(cell)
  // Quotes also preserve leading and trailing blanks, and other separators.
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
