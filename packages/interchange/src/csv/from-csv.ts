import { type CsvRecord, CsvFault, csvRecordAt, csvRecords, csvSeparator, type CsvSeparator } from '@engine/authoring'
import { locator } from '@engine/expression'
import { Losses, type Where } from '../losses.ts'
import type { Imported } from '../conversion-result.ts'
import { isHeader, type KnownColumns } from '../sheet/header.ts'
import { PlainSheet } from '../sheet/plain-sheet.ts'
import { noHeader, type Places, SheetTable } from '../sheet/table.ts'

/** The default name of a ruleset. */
const UNNAMED = 'table'

/**
 * The ruleset of a CSV table (RFC 4180), with or without a byte order mark. A malformed text is rejected as a whole.
 * Linear in the length of the text. Throws `TooLarge`.
 *
 * @param known columns that the header may name by their fields alone
 */
export function fromCsv(document: string, name: string = UNNAMED, known: KnownColumns = []): Imported {
  const losses = new Losses()
  const text = document.startsWith('\uFEFF') ? document.slice(1) : document
  const separator = csvSeparator(text)
  const places = placesIn(text, separator)
  try {
    const table = tableOf(text, separator, places, losses, known)
    if (table === undefined) return { rulesets: [], lost: losses.lost }
    return { rulesets: [{ name, ruleset: table.finish(name) }], lost: losses.lost }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    losses.error(places.at(error.offset, 1), { code: 'bad-csv', message: error.message })
    return { rulesets: [], lost: losses.lost }
  }
}

/**
 * The sheet in a CSV text, whose columns need no roles in their header, or why there is none. Linear in the length of the
 * text. Throws `TooLarge`.
 */
export function csvSheet(document: string, name: string): { readonly sheet: PlainSheet } | Pick<Imported, 'lost'> {
  const text = document.startsWith('\uFEFF') ? document.slice(1) : document
  const separator = csvSeparator(text)
  const places = placesIn(text, separator)
  const sheet = new PlainSheet(name, { ...places, isComplete: true })
  try {
    for (const { cells, starts } of csvRecords(text, separator)) sheet.add(cells, starts[0] ?? 0)
    return { sheet }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    const losses = new Losses()
    losses.error(places.at(error.offset, 1), { code: 'bad-csv', message: error.message })
    return { lost: losses.lost }
  }
}

/** Positions by the offset of a row, which is read again to find the offset of its cell. */
function placesIn(text: string, separator: CsvSeparator): Places & { at(offset: number, length: number): Where } {
  let locate: ReturnType<typeof locator> | undefined
  const at = (offset: number, length: number): Where => {
    locate ??= locator(text)
    return { path: '', ...locate(offset), length }
  }
  return {
    at,
    cell(row, index) {
      const { starts, end } = csvRecordAt(text, separator, row)
      const start = starts[index] ?? row
      const behind = starts[index + 1] === undefined ? end : (starts[index + 1] ?? end) - 1
      return at(start, Math.max(1, behind - start))
    },
  }
}

function tableOf(
  text: string,
  separator: CsvSeparator,
  places: Places,
  losses: Losses,
  known: KnownColumns,
): SheetTable | undefined {
  let table: SheetTable | undefined
  for (const record of csvRecords(text, separator)) {
    const start = record.starts[0] ?? 0
    if (table !== undefined) addRecord(table, record, start, places, losses)
    else if (isHeader(record.cells, known)) table = new SheetTable(record.cells, start, places, losses, known)
    else {
      losses.error(places.cell(start, 0), noHeader('the table'))
      return undefined
    }
  }
  if (table === undefined) losses.error({ path: '' }, noHeader('the table'))
  return table
}

function addRecord(table: SheetTable, { cells }: CsvRecord, start: number, places: Places, losses: Losses): void {
  if (cells.length < table.width)
    losses.error(places.cell(start, cells.length - 1), {
      code: 'short-row',
      message: `the row has ${cells.length} cells, the header ${table.width}`,
    })
  table.add(cells, start)
}
