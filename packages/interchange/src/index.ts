export type { Exported, Imported, ImportedRuleset, Loss } from './conversion-result.ts'
export { importReport, type DocumentReport, type ImportReport, type ReportedDocument } from './import-report.ts'
export { fromJdm, type JdmOptions } from './jdm/from-jdm.ts'
export { toJdm } from './jdm/write/to-jdm.ts'
export { fromJsonRulesEngine } from './json-rules-engine/from-json-rules-engine.ts'
export { csvSheet, fromCsv } from './csv/from-csv.ts'
export { fromXlsx, xlsxSheets } from './xlsx/from-xlsx.ts'
export { toXlsx } from './xlsx/to-xlsx.ts'
export {
  ColumnRoleFault,
  type ColumnRoles,
  type LostCell,
  type PlainSheet,
  type SheetTexts,
} from './sheet/plain-sheet.ts'
export { TooLarge } from './size-error.ts'
export { fromDmn, type DmnOptions } from './dmn/from-dmn.ts'
export { ModelLibrary } from './dmn/model-library.ts'
export { toDmn } from './dmn/write/to-dmn.ts'
