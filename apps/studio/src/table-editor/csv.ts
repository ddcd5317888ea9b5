import { csvText, tableRecords, type TableStep } from '@engine/authoring'

/** The table as CSV (RFC 4180), with a header that the import recognizes. */
export function tableCsv(table: TableStep): string {
  return csvText(tableRecords(table))
}
