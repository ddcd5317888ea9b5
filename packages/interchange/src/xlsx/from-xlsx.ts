import { escapedKey } from '@engine/expression'
import type { Imported } from '../conversion-result.ts'
import { type LossText, Losses } from '../losses.ts'
import { rulesetNames } from '../names.ts'
import { isHeader, type KnownColumns } from '../sheet/header.ts'
import { PlainSheet } from '../sheet/plain-sheet.ts'
import { noHeader, type Places, type SheetCell, SheetTable } from '../sheet/table.ts'
import { readNumberKinds } from './date.ts'
import { readSharedTexts } from './shared-texts.ts'
import { cellName, readSheet, type SheetContext } from './sheet.ts'
import { type Package, PartFault, readWorkbook } from './workbook.ts'
import { zipEntries, ZipFault } from './zip.ts'

/** Maximum total uncompressed size of the parts of a workbook. */
const MAX_BYTES = 134_217_728
/** Maximum number of sheets that are read. */
const MAX_SHEETS = 100

/**
 * Imports the rulesets of a workbook (Office Open XML): one for each sheet that starts with a header. Formulas are
 * reported, and never replaced by the value that the spreadsheet last computed. Linear in the uncompressed size, at
 * most 128 MiB; keeps the texts of the workbook and the cells of its tables in memory. Throws `TooLarge`.
 *
 * @param known columns that headers may name by their fields alone
 */
export function fromXlsx(bytes: Uint8Array, name?: string, known: KnownColumns = []): Imported {
  const losses = new Losses()
  try {
    return { rulesets: rulesetsOf(bytes, name, losses, known), lost: losses.lost }
  } catch (error) {
    if (!(error instanceof ZipFault) && !(error instanceof PartFault)) throw error
    losses.error({ path: '' }, unreadable(bytes, error.message))
    return { rulesets: [], lost: losses.lost }
  }
}

/**
 * The sheets with cells of a workbook, whose columns need no roles in their headers, or why there are none. Limits as in
 * `fromXlsx`. Throws `TooLarge`.
 */
export function xlsxSheets(bytes: Uint8Array): { readonly sheets: readonly PlainSheet[] } | Pick<Imported, 'lost'> {
  try {
    const { pack, workbook, context } = openWorkbook(bytes)
    const sheets = workbook.sheets.flatMap(({ name, path }) => {
      if (path === undefined) return []
      const sheet = new PlainSheet(name, placesIn(name))
      readSheet(pack, path, context, {
        row: (cells, row) => sheet.add(cells, row),
        merged: (range) => sheet.merge(range),
      })
      return sheet.isEmpty ? [] : [sheet]
    })
    return { sheets }
  } catch (error) {
    if (!(error instanceof ZipFault) && !(error instanceof PartFault)) throw error
    const losses = new Losses()
    losses.error({ path: '' }, unreadable(bytes, error.message))
    return { lost: losses.lost }
  }
}

function unreadable(bytes: Uint8Array, reason: string): LossText {
  const isOlder = bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0
  const message = isOlder
    ? 'this is a workbook of Excel 97 or one with a password: save it as .xlsx without a password'
    : `the workbook cannot be read: ${reason}`
  return { code: 'unreadable', message }
}

function rulesetsOf(
  bytes: Uint8Array,
  name: string | undefined,
  losses: Losses,
  known: KnownColumns,
): Imported['rulesets'] {
  const { pack, workbook, context } = openWorkbook(bytes)
  const tables = workbook.sheets.flatMap(({ name: sheet, path }) => {
    const table = path === undefined ? undefined : tableOf(pack, sheet, path, context, losses, known)
    if (table !== undefined) return [{ sheet, table }]
    if (path !== undefined) losses.warn({ path: sheetPath(sheet) }, noHeader(sheet))
    else losses.warn({ path: sheetPath(sheet) }, NO_CELLS)
    return []
  })
  if (tables.length === 0) losses.error({ path: '' }, NO_TABLE)
  const names = rulesetNames(
    tables.map(({ sheet }) => sheet),
    name,
  )
  return tables.map(({ table }, index) => {
    const given = names[index] ?? ''
    return { name: given, ruleset: table.finish(given) }
  })
}

/** Throws `ZipFault` and `PartFault`. */
function openWorkbook(bytes: Uint8Array) {
  const pack: Package = { files: zipEntries(bytes), allowance: { left: MAX_BYTES } }
  const workbook = readWorkbook(pack)
  if (workbook.sheets.length > MAX_SHEETS) throw new PartFault(`it has more than ${MAX_SHEETS} sheets`)
  const { is1904 } = workbook
  const context: SheetContext = {
    texts: readSharedTexts(pack, workbook.texts),
    kinds: readNumberKinds(pack, workbook.styles),
    is1904,
  }
  return { pack, workbook, context }
}

const NO_CELLS: LossText = { code: 'no-cells', message: 'the sheet is empty and was omitted' }
const NO_TABLE: LossText = { code: 'no-table', message: 'no sheet of the workbook starts with a table header' }

const placesIn = (sheet: string): Places => ({
  cell: (row, column) => ({ path: `${sheetPath(sheet)}/${cellName(row, column)}` }),
})
const sheetPath = (sheet: string) => `/${escapedKey(sheet)}`

function tableOf(
  pack: Package,
  sheet: string,
  path: string,
  context: SheetContext,
  losses: Losses,
  known: KnownColumns,
): SheetTable | undefined {
  const places = placesIn(sheet)
  let table: SheetTable | undefined
  let isTable = true
  const headerOf = (cells: readonly SheetCell[]) => cells.map((cell) => (typeof cell === 'string' ? cell : ''))
  readSheet(pack, path, context, {
    row(cells, row) {
      if (table !== undefined) table.add(cells, row)
      else if (isTable && isHeader(headerOf(cells), known)) table = new SheetTable(cells, row, places, losses, known)
      else isTable = false
    },
    merged: (range) => table?.merge(range),
  })
  return table
}
