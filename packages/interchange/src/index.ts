export type { Exported, Imported, ImportedRuleset } from './imported.ts'
export { fromCsv } from './csv/from-csv.ts'
export { fromXlsx } from './xlsx/from-xlsx.ts'
export { TooLarge } from './sheet/table.ts'
