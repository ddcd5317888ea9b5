import type { components } from '../api/schema.ts'

type Schemas = components['schemas']

export type Release = Schemas['Release']
export type ReleaseDiff = Schemas['ReleaseDiff']
export type TargetImpact = Schemas['ReleaseTargetImpact']
export type RulesetAnalysis = Schemas['RulesetAnalysis']
export type ReplaySummary = Schemas['ReplaySummary']
export type Side = Schemas['Side']
export type Region = TargetImpact['diff']['regions'][number]
export type TestRun = Schemas['TestRun']

/** The content of a review, for a stored release or a preview. */
export interface ReviewedParts {
  /** True for a rollback: it restores content that was live, which is neither tested nor analysed again. */
  readonly isRollback: boolean
  readonly rulesets: readonly { readonly name: string; readonly from_seq?: number | null }[]
  readonly diffs: readonly ReleaseDiff[]
  readonly impacts: readonly TargetImpact[]
  readonly analyses: readonly RulesetAnalysis[]
  /** Null if no tests were run. */
  readonly tests: TestRun | null
}
