export { latencyAt, latencyClass } from './quantile.ts'
export { type Sides, type StageCounts, type StageRule, type Verdict, verdictOf } from './verdict.ts'
