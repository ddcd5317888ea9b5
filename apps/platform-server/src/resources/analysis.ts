import { AnalysisReport, Findings, ImpactResult, ReplaySummary } from '@engine/api'
import { Type } from 'typebox'
import { Id, orNull } from './resource-fields.ts'

/** The results of the analysis of a draft (docs/analysis.md). */
export const REPORT = {
  findings: Findings,
  questions: AnalysisReport.properties.questions,
  domain: AnalysisReport.properties.domain,
  truncated: Type.Boolean({ description: 'the budget ended before all questions were answered' }),
  reason: orNull(Type.String({ description: 'why nothing is known' })),
} as const

/** The content used for the comparison. */
export const BASE = Type.Object({ version: Type.String(), digest: Type.String(), release_id: orNull(Id) })

/** The changes to a live ruleset. */
export const CHANGE = {
  diff: ImpactResult.properties.diff,
  probes: ImpactResult.properties.probes,
} as const

export const Records = orNull(ReplaySummary)
