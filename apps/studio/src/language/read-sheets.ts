import { csvSheet, type PlainSheet, xlsxSheets } from '@engine/interchange'
import type { ReadSheets, Tasks } from './tasks.ts'

/** The tables of a spreadsheet file, as text. Throws if the file exceeds the limits. */
export function readSheets({ bytes, format }: Tasks['sheets']['takes']): ReadSheets {
  const read = format === 'xlsx' ? xlsxSheets(new Uint8Array(bytes)) : csvSheet(textOf(bytes), '')
  if ('lost' in read) return { tables: [], lost: read.lost }
  const sheets: readonly PlainSheet[] = 'sheets' in read ? read.sheets : [read.sheet]
  const tables = sheets.map((sheet) => ({ name: sheet.name, ...sheet.texts() }))
  return { tables: tables.filter(({ cells }) => cells.length > 0), lost: [] }
}

/**
 * Spreadsheets write CSV in UTF-8 or in the code page of the system. Text that is not valid UTF-8 is decoded as
 * Windows-1252.
 */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
