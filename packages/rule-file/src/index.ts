export { ENDINGS, endingOf, isNamedCompanion, type Ending } from './ending.ts'
export { isCompanion, LARGEST_RULE_FILE, readRuleFile, type ReadRuleFile } from './read.ts'
export { writeRuleFile } from './write.ts'
export { ruleFileText } from './json-text.ts'
