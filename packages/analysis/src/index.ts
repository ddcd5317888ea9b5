export * from './verdict.ts'
export { analyze, type AnalyzeOptions } from './analyze.ts'
export type { FieldDomain, InputDomain } from './formula/domain.ts'
export type { Side } from './witness/trail.ts'
