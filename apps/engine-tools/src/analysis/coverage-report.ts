import { type Covered, type SuiteMeasures, witnessText } from '@engine/analysis'
import { junitText } from '@engine/authoring'
import { stringifyJson } from '@engine/expression'
import { counted } from '../quantity.ts'
import { sarifResult, sarifText } from '../sarif.ts'
import { cell, codeCell } from './finding-report.ts'

/** The measures of a suite that can be required. */
export const MEASURES = ['branches', 'conditions', 'boundaries', 'mutants'] as const
export type Measure = (typeof MEASURES)[number]

/** A share that a suite must reach. */
export interface Requirement {
  readonly measure: Measure
  /** From 0 to 1. */
  readonly share: number
}

/** A measured suite and its requirements. */
export interface MeasuredFile {
  readonly file: string
  readonly measures: SuiteMeasures
  readonly requirements: readonly Requirement[]
}

interface Counted {
  readonly covered: number
  readonly total: number
}

/** Mutants that decide every input like the right rules count in no score. */
function countsOf({ mutants, ...coverage }: SuiteMeasures, measure: Measure): Counted {
  if (measure !== 'mutants') return coverage[measure]
  return { covered: mutants.killed, total: mutants.total - mutants.equivalent }
}

const shareOf = ({ covered, total }: Counted): number => (total === 0 ? 1 : covered / total)

/** Rounded down: 100 % means everything. */
const percentText = (counts: Counted): string => `${Math.floor(shareOf(counts) * 1000) / 10} %`

const isMet = ({ measures }: MeasuredFile, { measure, share }: Requirement): boolean =>
  shareOf(countsOf(measures, measure)) >= share

/** 1 with a requirement that is not met, else 0. */
export const coverageExitCode = (measured: MeasuredFile): number =>
  measured.requirements.every((one) => isMet(measured, one)) ? 0 : 1

function requirementText({ measures }: MeasuredFile, { measure, share }: Requirement): string {
  const required = `${+(share * 100).toPrecision(12)} %`
  return `${measure}: ${percentText(countsOf(measures, measure))}, required ${required}`
}

/** The uncovered parts: measure, place and part. */
function gapsOf({ branches, conditions, boundaries, mutants }: SuiteMeasures) {
  const missing = (rule: string, { missing: gaps }: Covered, words: (what: string) => string) =>
    gaps.map(({ place, what }) => ({ rule, place, message: words(what), witness: undefined }))
  return [
    ...missing('uncovered-branch', branches, (what) => what),
    ...missing('uncovered-condition', conditions, (what) => `no two cases show the effect of ${what}`),
    ...missing('uncovered-boundary', boundaries, (what) => `no case has ${what}`),
    ...mutants.survivors.map(({ place, change, witness }) => ({
      rule: 'surviving-mutant',
      place,
      message: `no case notices ${change}`,
      witness,
    })),
  ]
}

const RULES = ['uncovered-branch', 'uncovered-condition', 'uncovered-boundary', 'surviving-mutant', 'requirement']

/** Missing parts that the text report lists. */
const MAX_LISTED = 50

/** For people. */
export function coverageText(measured: MeasuredFile): string {
  const { file, measures, requirements } = measured
  const gaps = gapsOf(measures)
  return [
    `${coverageExitCode(measured) === 0 ? '✓' : '✗'} ${file}: ${counted(measures.cases, 'case')}`,
    ...MEASURES.map((measure) => {
      const counts = countsOf(measures, measure)
      return `  ${measure}: ${counts.covered} of ${counts.total} (${percentText(counts)})`
    }),
    ...(measures.cut === 0
      ? []
      : [`  ${measures.cut} cases end at a call of a service, or of a ruleset that is not there`]),
    ...(measures.mutants.truncated ? ['  not all mutants were tried'] : []),
    ...gaps
      .slice(0, MAX_LISTED)
      .flatMap(({ place, message, witness }) => [
        `  ${place} ${message}`,
        ...(witness === undefined ? [] : [`    input ${witnessText(witness)}`]),
      ]),
    ...(gaps.length > MAX_LISTED ? [`  and ${gaps.length - MAX_LISTED} more`] : []),
    ...requirements.map((one) => `${isMet(measured, one) ? '✓' : '✗'} ${requirementText(measured, one)}`),
    '',
  ].join('\n')
}

/** For programs. */
export function coverageJson(measured: MeasuredFile): string {
  const requirements = measured.requirements.map((one) => ({ ...one, met: isMet(measured, one) }))
  return `${stringifyJson({ file: measured.file, ...measured.measures, requirements })}\n`
}

/** For build servers: each requirement is a test. */
export function coverageJunit(measured: MeasuredFile): string {
  const { file, requirements } = measured
  const tests = requirements.map((one) => ({
    name: one.measure,
    duration: 0,
    failures: isMet(measured, one) ? [] : [requirementText(measured, one)],
  }))
  return junitText([{ name: file, tests: [{ name: 'is measured', duration: 0, failures: [] }, ...tests] }])
}

/** For code scanning: each missing part is a note, each unmet requirement an error. */
export function coverageSarif(measured: MeasuredFile): string {
  const { file, measures, requirements } = measured
  return sarifText(
    'engine coverage',
    RULES.map((id) => ({ id })),
    [
      ...requirements
        .filter((one) => !isMet(measured, one))
        .map((one) =>
          sarifResult({ file, ruleId: 'requirement', level: 'error', message: requirementText(measured, one) }),
        ),
      ...gapsOf(measures).map(({ rule, place, message, witness }) =>
        sarifResult({
          file,
          ruleId: rule,
          level: 'note',
          message: `${place} ${message}`,
          place,
          ...(witness && { properties: { witness: { ...witness } } }),
        }),
      ),
    ],
  )
}

/** For a comment on a pull request. */
export function coverageMarkdown(measured: MeasuredFile): string {
  const { file, measures, requirements } = measured
  const rows = MEASURES.map((measure) => {
    const counts = countsOf(measures, measure)
    const required = requirements.filter((one) => one.measure === measure)
    const gates = required.map((one) => `${isMet(measured, one) ? '✓' : '✗'} ${+(one.share * 100).toPrecision(12)} %`)
    return `| ${measure} | ${counts.covered} of ${counts.total} | ${percentText(counts)} | ${gates.join(', ')} |`
  })
  const missing = gapsOf(measures).filter(({ witness }) => witness !== undefined)
  return [
    `### ${cell(file)}: ${counted(measures.cases, 'case')}`,
    '',
    '| measure | covered | share | required |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...(missing.length === 0 ? [] : ['Inputs that no case decides:', '']),
    ...missing.map(
      ({ place, message, witness }) =>
        `- ${codeCell(place)} ${cell(message)}: ${witness === undefined ? '' : codeCell(witnessText(witness))}`,
    ),
    '',
  ].join('\n')
}
