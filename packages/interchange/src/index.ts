export type { Exported, Imported, ImportedRuleset } from './imported.ts'
