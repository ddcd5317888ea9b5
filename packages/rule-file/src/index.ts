export { ENDINGS, endingOf, type Ending } from './ending.ts'
export { readRuleFile, type ReadRuleFile } from './read.ts'
export { writeRuleFile } from './write.ts'
export { indentJson } from './json-text.ts'
