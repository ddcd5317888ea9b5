import { neutralized, withoutNeutralization } from '@engine/authoring'

/** A rectangle of cell texts. */
export type Cells = readonly (readonly string[])[]

/**
 * Parses the clipboard format of spreadsheets: cells separated by tabs and line breaks, with quotes around a cell that
 * contains either. A cell that only begins with a quote is kept unchanged, since it is a text literal of an expression.
 * The prefix that `spreadsheetCells` adds is removed.
 */
export function parseCells(text: string): Cells {
  const cells = splitCells(text)
  return isOneCell(cells) ? cells : cells.map((row) => row.map(withoutNeutralization))
}

function splitCells(text: string): Cells {
  const rest = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
  const rows: string[][] = [[]]
  let at = 0
  for (;;) {
    const found = /^"((?:[^"]|"")*)"(?=\t|\n|$)/.exec(rest.slice(at))
    const isQuoted = found !== null && /[\t\n]|""/.test(found[1] ?? '')
    const plain = /[^\t\n]*/y
    plain.lastIndex = at
    const raw = isQuoted ? found[0] : (plain.exec(rest)?.[0] ?? '')
    rows.at(-1)?.push(isQuoted ? (found[1] ?? '').replaceAll('""', '"') : raw)
    at += raw.length
    if (at >= rest.length) return rows
    if (rest[at] === '\n') rows.push([])
    at++
  }
}

const isOneCell = ([first = [], ...others]: Cells) => others.length === 0 && first.length === 1

/**
 * Escapes cells of a ruleset against formula injection: otherwise an author of rules could run formulas in the
 * spreadsheet of another user. A single cell stays unchanged, since it is often pasted into an expression.
 */
export const spreadsheetCells = (cells: Cells): Cells =>
  isOneCell(cells) ? cells : cells.map((row) => row.map(neutralized))

/** Cells in the clipboard format of spreadsheets, which `parseCells` parses. */
export const cellsText = (cells: Cells): string =>
  cells.map((row) => row.map((cell) => (isQuotedInText(cell) ? quoted(cell) : cell)).join('\t')).join('\n')

/**
 * Whether a cell must be quoted: it contains a separator, or it begins with a quote that its text does not close before
 * other text.
 */
const isQuotedInText = (cell: string) =>
  /[\t\n]/.test(cell) || (cell.startsWith('"') && !/^"(?:[^"]*"$|(?:[^"]|"")*"[^"])/.test(cell))

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Cells as an HTML table, for documents. */
export const cellsHtml = (cells: Cells): string =>
  `<table>${cells.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('')}</table>`
