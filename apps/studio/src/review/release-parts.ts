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

/** The content of a review, of a stored release or a preview. */
export interface ReviewedParts {
  /** A rollback brings back content that was live: it is neither tested nor analysed again. */
  readonly isRollback: boolean
  readonly rulesets: readonly { readonly name: string; readonly from_seq?: number | null }[]
  readonly diffs: readonly ReleaseDiff[]
  readonly impacts: readonly TargetImpact[]
  readonly analyses: readonly RulesetAnalysis[]
  /** Null: no tests ran. */
  readonly tests: TestRun | null
}
