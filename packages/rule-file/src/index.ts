export { csvCell, csvCellValue, type CsvFields, csvFields, CsvHeaderError, csvInput, csvSeparator } from './csv.ts'
export { ENDINGS, endingOf, isNamedCompanion, type Ending } from './ending.ts'
export { isCompanion, MAX_RULE_FILE, readRuleFile, type ReadRuleFile, ruleFileReading } from './read.ts'
export { writeRuleFile } from './write.ts'
export { ruleFileText } from './json-text.ts'
export { type Converted, yamlToJson } from './yaml-text.ts'
export { yamlForm } from './yaml-form.ts'
export {
  type DocumentPlace,
  type FilePositions,
  positionInReason,
  problemsInFile,
  positionsInJson,
} from './positions.ts'
