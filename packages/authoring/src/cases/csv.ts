import { parseJson, stringifyJson, type Value, quote } from '@engine/expression'
import type { Case } from './case.ts'

/** The members of a case that a file has, in the order of its columns. */
const COLUMNS = ['suite', 'name', 'now', 'input', 'stubs', 'expect'] as const
/** Those whose cells are JSON. */
const JSON_COLUMNS: readonly string[] = ['input', 'stubs', 'expect'] satisfies readonly (typeof COLUMNS)[number][]
const SHOWN = COLUMNS.map((column) => quote(column)).join(', ')

/** Cases as CSV (RFC 4180): one row a case; values that are no texts are JSON. */
export function casesToCsv(cases: readonly Case[]): string {
  const rows = cases.map((one) =>
    COLUMNS.map((column) => {
      const value = one[column] as Value | undefined
      return quoted(value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value))
    }),
  )
  return [COLUMNS, ...rows].map((row) => `${row.join(',')}\r\n`).join('')
}

const quoted = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The list of cases in a file for `decodeCases`, or why there is none, with the line from 1. */
export type CasesInCsv = { readonly list: Value } | { readonly reason: string; readonly line: number }

/**
 * Read what `casesToCsv` writes, and what spreadsheets make of it: columns in any order, a byte order mark, rows without cells.
 * An empty cell is a member that is left out. Costs the length of the text.
 */
export function casesFromCsv(text: string): CasesInCsv {
  const records = recordsOf(text.startsWith('\uFEFF') ? text.slice(1) : text)
  if ('reason' in records) return records
  const [header, ...rows] = records.records.filter(({ cells }) => cells.length > 1 || cells[0] !== '')
  if (header === undefined) return { reason: `has no header: expected ${SHOWN}`, line: 1 }
  const columns = header.cells.map((cell) => cell.trim())
  const stranger = columns.find(
    (column, index) => !COLUMNS.some((known) => known === column) || columns.indexOf(column) !== index,
  )
  if (stranger !== undefined)
    return { reason: `has a column ${quote(stranger)}: expected ${SHOWN}, each once`, line: header.line }
  const list: Value[] = []
  for (const { cells, line } of rows) {
    if (cells.length > columns.length) return { reason: `has ${cells.length} cells in a row`, line }
    const one = caseOf(columns, cells)
    if ('reason' in one) return { reason: one.reason, line }
    list.push(one.value)
  }
  return { list }
}

function caseOf(columns: readonly string[], cells: readonly string[]): { readonly value: Value } | { reason: string } {
  const members: [string, Value][] = []
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (!JSON_COLUMNS.includes(column)) {
      members.push([column, cell])
      continue
    }
    const parsed = parseJson(cell, { duplicateKeys: 'refuse' })
    if (parsed.kind === 'failed')
      return { reason: `has no JSON in the column ${quote(column)}: ${parsed.problem.message}` }
    members.push([column, parsed.value])
  }
  return { value: Object.fromEntries(members) }
}

interface CsvRecord {
  readonly cells: string[]
  /** On which it begins, from 1. */
  readonly line: number
}

/** A cell in quotes, or one without; then what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y

function recordsOf(text: string): { readonly records: readonly CsvRecord[] } | { reason: string; line: number } {
  const records: CsvRecord[] = []
  let line = 1
  let record: CsvRecord = { cells: [], line }
  CELL.lastIndex = 0
  for (;;) {
    const found = CELL.exec(text)
    if (found === null)
      return { reason: 'has a quotation mark that is not closed, or within a cell without them', line }
    const [whole, inQuotes, plain = '', end = ''] = found
    record.cells.push(inQuotes?.replaceAll('""', '"') ?? plain)
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0
    if (end === ',') continue
    records.push(record)
    if (CELL.lastIndex >= text.length) return { records }
    record = { cells: [], line }
  }
}
