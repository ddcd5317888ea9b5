import { withoutNeutralization } from './write.ts'

/** A record of a CSV text: its cells and their offsets. Used for rule tables and test suites. */
export interface CsvRecord {
  readonly cells: readonly string[]
  /** Offset of each cell including its quotes, in UTF-16 units from the start of the text. */
  readonly starts: readonly number[]
  /** After the last cell. */
  readonly end: number
}

/** Why a text is not valid CSV, and where. */
export class CsvFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

export type CsvSeparator = ',' | ';' | '\t'

/** Cells of one record. */
const MAX_CELLS = 1000

/**
 * The records of a text as defined by RFC 4180; lines may end in CRLF, LF or CR. A quote inside an unquoted cell, text
 * after a closing quote, and an unclosed quote are errors and throw `CsvFault`. Empty lines are skipped. The `'` in
 * front of a potential formula is removed (`csvText`). Linear in the length of the text.
 */
export function* csvRecords(text: string, separator: CsvSeparator, from = 0): Generator<CsvRecord> {
  for (let at = from; at < text.length;) {
    const record = csvRecordAt(text, separator, at)
    const isBlank = record.cells.length === 1 && record.end === at
    at = behindLineEnd(text, record.end)
    if (!isBlank) yield record
  }
}

/** The record that starts at an offset. */
export function csvRecordAt(text: string, separator: CsvSeparator, from: number): CsvRecord {
  const cells: string[] = []
  const starts: number[] = []
  for (let at = from; ; at++) {
    if (cells.length === MAX_CELLS) throw new CsvFault(`a row has more than ${MAX_CELLS} cells`, at)
    starts.push(at)
    const end = text[at] === '"' ? closingQuote(text, at) + 1 : plainEnd(text, separator, at)
    const cell = text[at] === '"' ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end)
    cells.push(withoutNeutralization(cell))
    at = end
    if (text[at] === separator) continue
    if (!isEnd(text, at)) throw new CsvFault('text follows the closing quote of the cell', at)
    return { cells, starts, end: at }
  }
}

const isEnd = (text: string, at: number) => at >= text.length || text[at] === '\n' || text[at] === '\r'

function behindLineEnd(text: string, at: number): number {
  return at + (text.startsWith('\r\n', at) ? 2 : 1)
}

function plainEnd(text: string, separator: CsvSeparator, from: number): number {
  let at = from
  while (!isEnd(text, at) && text[at] !== separator) {
    if (text[at] === '"') throw new CsvFault('a cell with a quote must be quoted, with each quote doubled', at)
    at++
  }
  return at
}

function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at
  throw new CsvFault('the quote of this cell is not closed', open)
}

/**
 * The separator of a text: the first unquoted comma, semicolon or tab of its first line. Spreadsheets write semicolons
 * in locales with a decimal comma.
 */
export function csvSeparator(text: string): CsvSeparator {
  let isQuoted = false
  for (let at = 0; at < text.length && (isQuoted || !isEnd(text, at)); at++) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || character === ';' || character === '\t')) return character
  }
  return ','
}
