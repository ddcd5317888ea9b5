import { neutralized, withoutNeutralization } from '@engine/authoring'

/** A rectangle of cell texts. */
export type Cells = readonly (readonly string[])[]

/**
 * The cells of a text as spreadsheets copy it: tabs and line breaks between cells, quotes around a cell that holds one of
 * them. A cell that only begins with a quote is kept as it is: it is a literal text of an expression. What `spreadsheetCells`
 * has put in front of a cell is taken off.
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
 * Cells of a ruleset that no spreadsheet calculates: whoever wrote the rules would otherwise choose what it does. One cell alone stays
 * as it is, for it is pasted into expressions.
 */
export const spreadsheetCells = (cells: Cells): Cells =>
  isOneCell(cells) ? cells : cells.map((row) => row.map(neutralized))

/** Cells as spreadsheets take them, and as `parseCells` reads them again. */
export const cellsText = (cells: Cells): string =>
  cells.map((row) => row.map((cell) => (isQuotedInText(cell) ? quoted(cell) : cell)).join('\t')).join('\n')

/**
 * Whether a cell would be read as another one without quotes around it: it holds what separates cells, or it begins with a
 * quote that its own text does not close before other text.
 */
const isQuotedInText = (cell: string) =>
  /[\t\n]/.test(cell) || (cell.startsWith('"') && !/^"(?:[^"]*"$|(?:[^"]|"")*"[^"])/.test(cell))

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Cells as a table of a document. */
export const cellsHtml = (cells: Cells): string =>
  `<table>${cells.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('')}</table>`
