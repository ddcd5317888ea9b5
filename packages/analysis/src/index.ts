export * from './verdict.ts'
export { analyze, type AnalyzeOptions } from './analyze.ts'
export { diff, type DiffOptions } from './diff.ts'
export type { FieldDomain, InputDomain } from './formula/domain.ts'
export { assumedDomain } from './formula/contract-domain.ts'
export type { OutputContract } from './output-contract.ts'
export { witnessText } from './witness-text.ts'
export { type CaseStubs, caseStubs } from './witness/case-answers.ts'
export type { Stub } from './witness/stubs.ts'
export type { Side } from './witness/trail.ts'
export { CONSTRUCT_TREATMENTS, FUNCTION_TREATMENTS, type Treatment } from './constructs.ts'
export { impact, type GateResult, type Impact, type ImpactOptions, maxChangedGate } from './impact.ts'
export {
  addReplayed,
  type Amount,
  LastVersions,
  NOTHING_REPLAYED,
  replay,
  type Replayed,
  type ReplayedRecord,
  ReplayedVersions,
  Replayer,
  type Transition,
} from './replay.ts'
export { RegionMatch } from './region-match.ts'
export { type Change, type Counterfactual, whyNot, type WhyNotOptions } from './why-not.ts'
export { generateCases, type GeneratedCase } from './generate-cases.ts'
export type { Certificate } from './certificate/certificate.ts'
export type { Claim } from './certificate/claim.ts'
export { type Certified, certify, claimsOfImpact, claimsOfReport, verifyCertificate } from './certificate/certify.ts'
export { type DecisionRecord, readDecisionRecord } from './decision-record.ts'
export { RecordedAnswers } from './witness/recorded-calls.ts'
export {
  type Covered,
  measureSuite,
  type Mutants,
  type SuiteCase,
  type SuiteMeasures,
  type Survivor,
} from './suite/measure-suite.ts'
export { needsFurtherSearch } from './needs-further-search.ts'
export { createSession, type Session } from './session.ts'
export { type FurtherSearch, furtherSearch } from './witness/further-search.ts'
