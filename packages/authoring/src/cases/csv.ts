import { locator, parseJson, quote, stringifyJson, type Value, ValueAllowance } from '@engine/expression'
import { CsvFault, csvRecords, csvSeparator } from '../csv/records.ts'
import { csvText } from '../csv/write.ts'
import type { Case } from './case.ts'

/** The members of a case in a file, in column order. */
const COLUMNS = ['suite', 'name', 'now', 'input', 'stubs', 'expect'] as const
/** Columns with JSON cells. */
const JSON_COLUMNS: readonly string[] = ['input', 'stubs', 'expect'] satisfies readonly (typeof COLUMNS)[number][]
const SHOWN = COLUMNS.map((column) => quote(column)).join(', ')

/** Cases as CSV (RFC 4180): one row per case; values other than texts are JSON. */
export function casesToCsv(cases: readonly Case[]): string {
  const rows = cases.map((one) =>
    COLUMNS.map((column) => {
      const value = one[column]
      return value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value)
    }),
  )
  return csvText([COLUMNS, ...rows])
}

/** The list of cases in a file, as input of `decodeCases`, or why it cannot be read, with the one-based line. */
export type CasesInCsv = { readonly list: Value } | { readonly reason: string; readonly line: number }

/**
 * Reads the output of `casesToCsv` and spreadsheet variants of it: columns in any order, a byte order mark, semicolons
 * or tabs, empty rows. An empty cell is an absent member. Linear in the length of the text.
 *
 * @param values charged for each row, cell and value in a cell. Default: unlimited
 */
export function casesFromCsv(document: string, values = new ValueAllowance(Infinity)): CasesInCsv {
  const text = document.startsWith('\uFEFF') ? document.slice(1) : document
  const lineOf = locator(text)
  try {
    return casesIn(text, (offset) => lineOf(offset).line, values)
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    return { reason: `is not CSV: ${error.message}`, line: lineOf(error.offset).line }
  }
}

/** Throws `CsvFault`. */
function casesIn(text: string, lineAt: (offset: number) => number, values: ValueAllowance): CasesInCsv {
  const list: Value[] = []
  let columns: readonly string[] | undefined
  for (const { cells, starts } of csvRecords(text, csvSeparator(text))) {
    const line = lineAt(starts[0] ?? 0)
    if (columns === undefined) {
      columns = cells.map((cell) => cell.trim())
      const stranger = strangerIn(columns)
      if (stranger !== undefined)
        return { reason: `has a column ${quote(stranger)}: expected ${SHOWN}, each once`, line }
      continue
    }
    if (cells.length > columns.length) return { reason: `has ${cells.length} cells in a row`, line }
    values.left -= 1
    const one = caseOf(columns, cells, values)
    if ('reason' in one) return { reason: one.reason, line }
    if (values.left < 0) return { reason: `has more than ${values.max} values`, line }
    list.push(one.value)
  }
  return columns === undefined ? { reason: `has no header: expected ${SHOWN}`, line: 1 } : { list }
}

const strangerIn = (columns: readonly string[]) =>
  columns.find((column, index) => !COLUMNS.some((known) => known === column) || columns.indexOf(column) !== index)

function caseOf(
  columns: readonly string[],
  cells: readonly string[],
  values: ValueAllowance,
): { readonly value: Value } | { reason: string } {
  const members: [string, Value][] = []
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (!JSON_COLUMNS.includes(column)) {
      values.left -= 1
      members.push([column, cell])
      continue
    }
    const parsed = parseJson(cell, { duplicateKeys: 'refuse', values, numbers: 'exact' })
    if (parsed.kind === 'failed')
      return { reason: `has invalid JSON in the column ${quote(column)}: ${parsed.problem.message}` }
    members.push([column, parsed.value])
  }
  return { value: Object.fromEntries(members) }
}
