export { type ExpectedTransition, FAILED, linkedResults } from './expected.ts'
export { type Measure, type Measures, measuresOf } from './measures.ts'
export { latencyAt, latencyClass } from './quantile.ts'
export { type Sides, type StageCounts, type StageRule, type Verdict, verdictOf } from './verdict.ts'
