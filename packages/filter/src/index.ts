export { BadFilterRequest } from './columns.ts'
export { DIALECTS, type DialectName } from './dialect.ts'
export { FilterError } from './explore.ts'
export { createFilter, type FilterRequest, type FilterResult } from './filter.ts'
