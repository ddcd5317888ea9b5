import { type CaseResult, type Coverage, type Covered, junitText, percent } from '@engine/authoring'
import { placed, type Problem } from '../problem.ts'
import { counted } from '../quantity.ts'
import { sarifResult, sarifText } from '../sarif.ts'

/** The findings about one rule file. */
export interface FileReport {
  readonly file: string
  /** Undefined: the file is not a ruleset. */
  readonly name: string | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Undefined: it has no file of cases. */
  readonly cases: readonly CaseResult[] | undefined
  readonly coverage: Coverage | undefined
  /** Requirements of the options that the file does not meet. */
  readonly demands: readonly string[]
}

/** The sums over all files. */
export interface Summary {
  readonly files: number
  readonly cases: number
  readonly failed: number
  readonly isGood: boolean
}

export function summaryOf(reports: readonly FileReport[]): Summary {
  const results = reports.flatMap(({ cases = [] }) => cases)
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const isGood = failed === 0 && reports.every(({ problems, demands }) => problems.length + demands.length === 0)
  return { files: reports.length, cases: results.length, failed, isGood }
}

/** For people: errors first, in the format that editors can jump to. */
export function textReport(reports: readonly FileReport[]): string {
  const { files, cases, failed, isGood } = summaryOf(reports)
  const lines = reports.flatMap(fileLines)
  const sums = `${counted(files, 'ruleset')}${faultyText(reports)}, ${counted(cases, 'case')}, ${failed === 0 ? 'none failed' : `${failed} failed`}`
  return [...lines, '', `${isGood ? '✓' : '✗'} ${sums}`, ''].join('\n')
}

/** The number of files with problems of their own, apart from failed cases. */
function faultyText(reports: readonly FileReport[]): string {
  const invalid = reports.filter(({ problems }) => problems.length > 0).length
  const below = reports.filter(({ problems, demands }) => problems.length === 0 && demands.length > 0).length
  const parts = [
    ...(invalid === 0 ? [] : [`${invalid} invalid`]),
    ...(below === 0 ? [] : [`${below} with an unmet requirement`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function fileLines({ file, problems, warnings, cases, coverage, demands }: FileReport): readonly string[] {
  const failing = cases?.filter(({ failures }) => failures.length > 0) ?? []
  const isGood = problems.length + failing.length + demands.length === 0
  return [
    `${isGood ? '✓' : '✗'} ${file}${cases === undefined ? '' : `: ${counted(cases.length, 'case')}`}${coverageText(coverage)}`,
    ...problems.map((problem) => `  ${placed(file, problem)}`),
    ...demands.map((demand) => `  ${demand}`),
    ...failing.flatMap(({ name, failures }) => [`  ✗ ${name}`, ...failures.map(({ message }) => `      ${message}`)]),
    ...warnings.map((warning) => `  warning: ${placed(file, warning)}`),
    ...(coverage === undefined ? [] : missingLines(coverage)),
  ]
}

function coverageText(coverage: Coverage | undefined): string {
  if (coverage === undefined) return ''
  const { steps, branches, rows } = coverage
  const share = (what: string, part: Covered) => `, ${what} ${part.covered}/${part.total} (${percent(part)} %)`
  return share('steps', steps) + share('branches', branches) + (rows.total === 0 ? '' : share('rows', rows))
}

/** Outcomes are more specific than steps: an unreached step has an outcome that leads to it. */
const MAX_MISSING = 10

function missingLines({ branches, rows, steps }: Coverage): readonly string[] {
  const missing = [...branches.missing, ...rows.missing, ...steps.missing]
  const shown = missing.slice(0, MAX_MISSING).map((words) => `  no case comes to ${words}`)
  return missing.length > MAX_MISSING ? [...shown, `  and ${missing.length - MAX_MISSING} more`] : shown
}

/** For programs. */
export function jsonReport(reports: readonly FileReport[]): string {
  const files = reports.map(({ file, name, problems, warnings, cases, coverage, demands }) => ({
    file,
    name,
    problems,
    warnings,
    demands,
    cases: cases?.map(({ name: caseName, failures, duration, inspection }) => ({
      name: caseName,
      passed: failures.length === 0,
      failures: failures.map(({ message }) => message),
      duration_ms: Number(duration.toFixed(3)),
      path: inspection.steps.map(({ id }) => id),
    })),
    coverage,
  }))
  return `${JSON.stringify({ summary: summaryOf(reports), rulesets: files }, null, 2)}\n`
}

/** For build servers: a suite for each file, the file itself as its first case. */
export function junitReport(reports: readonly FileReport[]): string {
  return junitText(
    reports.map(({ file, problems, demands, cases = [] }) => ({
      name: file,
      tests: [
        {
          name: 'is a ruleset',
          duration: 0,
          failures: [...problems.map((problem) => placed(file, problem)), ...demands],
        },
        ...cases.map(({ name, duration, failures }) => ({
          name,
          duration,
          failures: failures.map(({ message }) => message),
        })),
      ],
    })),
  )
}

/** For code scanning: SARIF 2.1.0 with each problem, warning, failed case and unmet requirement at its place. */
export function sarifReport(reports: readonly FileReport[]): string {
  return sarifText(
    'engine check',
    [...SARIF_RULES].map((id) => ({ id })),
    reports.flatMap(({ file, problems, warnings, demands, cases = [] }) => [
      ...problems.map((problem) => sarifResult({ file, ruleId: 'invalid', level: 'error', ...sarifParts(problem) })),
      ...warnings.map((problem) => sarifResult({ file, ruleId: 'warning', level: 'warning', ...sarifParts(problem) })),
      ...demands.map((message) => sarifResult({ file, ruleId: 'requirement', level: 'error', message })),
      ...cases.flatMap(({ name, failures }) =>
        failures.map((failure) =>
          sarifResult({ file, ruleId: 'failed-case', level: 'error', message: `${name}: ${failure.message}` }),
        ),
      ),
    ]),
  )
}

const SARIF_RULES = ['invalid', 'warning', 'requirement', 'failed-case'] as const

function sarifParts({ path, message, line, column }: Problem) {
  return { message, place: path, ...(line !== undefined && { at: { line, column: column ?? 1 } }) }
}
