export type { Exported, Imported, ImportedRuleset } from './imported.ts'
export { fromJdm } from './jdm/from-jdm.ts'
export { fromJsonRulesEngine } from './json-rules-engine/from-json-rules-engine.ts'
