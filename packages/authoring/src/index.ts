export type * from './draft/model.ts'
export { INTENDED_FINDINGS } from './draft/model.ts'
export type { Problem } from './problem.ts'
export { type CellCondition, cellCondition, columnPath, literalOf } from './table/cell.ts'
export { tableRecords } from './table/records.ts'
export { constantValue } from './engine/constant-value.ts'
export { cellForm, type CellForm } from './table/cell-form.ts'
export { type DecodedDraft, decodeDraft, decodeGraph, isDraft } from './draft/decode.ts'
export { acknowledged, type Acknowledgement, withoutAcknowledgements } from './draft/intended-findings.ts'
export { intendedPlace } from './draft/intended-place.ts'
export { convertDraftDocument } from './convert/draft-document.ts'
export { convertDraft, type ConvertedDraft, type ConvertOptions } from './convert/convert.ts'
export { withContractDefaults } from './convert/defaults.ts'
export { type EditorPlace, type EditorPlaces, endsTable } from './convert/editor-places.ts'
export type { Change, DraftDiff } from './draft/diff.ts'
export { diffDrafts } from './draft/diff.ts'
export {
  type ComparedContracts,
  compareRulesets,
  type GraphComparison,
  type RulesetComparison,
  type SubRuleComparison,
} from './compare/compare.ts'
export type { BranchChange } from './compare/branches.ts'
export { type FieldRead, fieldReads, type FieldReads } from './edit/field-reads.ts'
export { merge3, type MergeConflict, type MergedDraft } from './draft/merge.ts'
export { connect, type Edge, type Exit, insertOnEdge, type LedEdge, targetOf } from './edit/edges.ts'
export { type Extracted, type ExtractOptions, extractSubRule } from './edit/extract.ts'
export { copySteps } from './edit/fragment.ts'
export { type InlineOptions, inlineSubRule } from './edit/inline.ts'
export { duplicateSteps, type Pasted, pasteSteps } from './edit/paste.ts'
export { type Removed, removeStep } from './edit/remove.ts'
export { type Move, type OrderedList, reorder } from './edit/reorder.ts'
export type { Edit, Refusal } from './edit/refusal.ts'
export { renameCode, renameField, renameVariable } from './edit/rename.ts'
export type { DeclaredFields } from './engine/declared-types.ts'
export type {
  Concept,
  Contract,
  Decoded,
  Fact,
  InputField,
  Output,
  OutputField,
  WholeContract,
} from './contract/contract.ts'
export { decodeConcept, decodeContract, decodeFact, hasFittingExample } from './contract/contract.ts'
export { sameValue } from './same-value.ts'
export { checkedType, conceptNamed, type Concepts, dependentConcepts, parseType } from '@engine/ruleset'
export { contractSchema, reachedConcepts } from './contract/json-schema.ts'
export { contractOpenApi } from './contract/openapi.ts'
export { comment, type ContractTypes, contractTypes, pascalCase } from './contract/typescript.ts'
export { deriveContract } from './contract/derive.ts'
export { type Break, checkContract, checkVersion, type ContractChange, type VersionVerdict } from './contract/check.ts'
export { type Bump, nextVersion } from './contract/version.ts'
export { declaredFields } from './contract/declared-fields.ts'
export { checkInput, checkTerminals, conceptsNamedBy } from './contract/contract-use.ts'
export { type ContractMode, convertHeld, type HeldTo } from './convert/contract-conversion.ts'
export { typeOfText } from './engine/static-type.ts'
export { draftOf, type EditorRuleset } from './from-engine/from-engine.ts'
export { type Case, type CaseFault, decodeCases, type Expectation } from './cases/case.ts'
export { casesFromCsv, casesToCsv } from './cases/csv.ts'
export { csvText, neutralized, withoutNeutralization } from './csv/write.ts'
export { CsvFault, type CsvRecord, csvRecordAt, csvRecords, csvSeparator, type CsvSeparator } from './csv/records.ts'
export type { CaseFailure } from './cases/compare.ts'
export { type CaseHost, type CaseOptions, type CaseResult, pathOf, runCase, stubbedHost } from './cases/run.ts'
export {
  type Coverage,
  type Covered,
  coverageOf,
  hitsOf,
  hitsOfCounts,
  type Part,
  type Parts,
  percent,
} from './cases/coverage.ts'
export { draftParts } from './cases/draft-parts.ts'
export { type TracedStep, tracedSteps } from './cases/step-trace.ts'
export { junitText, type ReportedSuite, tapText } from './cases/reports.ts'
export type * from './archive/archive.ts'
export { type ArchivedConversion, convertArchived } from './archive/convert.ts'
export { placedInJson } from './archive/document.ts'
export { readArchive } from './archive/read.ts'
export { ARCHIVE_PATHS, writeArchive } from './archive/write.ts'
