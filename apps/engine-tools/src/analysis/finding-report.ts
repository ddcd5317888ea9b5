import { type Finding, FINDING_KINDS, isFault, type Report, witnessText } from '@engine/analysis'
import { quoteCode, stringifyJson } from '@engine/expression'
import { positionsInJson } from '@engine/rule-file'
import { type FileReport, junitReport } from '../check/report.ts'
import type { CheckedFile } from '../check/checked-file.ts'
import { placed } from '../problem.ts'
import { sarifResult, sarifText } from '../sarif.ts'

/** The findings in one rule file. */
export interface AnalyzedFile {
  readonly file: string
  readonly problems: CheckedFile['problems']
  /** Undefined: the file is not a ruleset. */
  readonly report: Report | undefined
  /** Where findings stand in the text, in their order; undefined for YAML and compiled files. */
  readonly positions: readonly { readonly line: number; readonly column: number }[] | undefined
}

/** The line and column of each finding in the text of its file. */
export function positionsOf(text: string | undefined, findings: readonly Finding[]): AnalyzedFile['positions'] {
  if (text === undefined) return undefined
  const places = findings.map(({ place }) => ({ path: place }))
  return positionsInJson(text, places).map((position) => position ?? { line: 1, column: 1 })
}

/** 1 with faults, else 3 with `--strict` and something unknown, else 0. */
export function exitCodeOf(files: readonly AnalyzedFile[], isStrict: boolean): number {
  if (files.some(({ problems, report }) => problems.length > 0 || report?.findings.some(isFault) === true)) return 1
  const isUnknown = files.some(
    ({ report }) => report !== undefined && (report.questions.unknown > 0 || report.truncated),
  )
  return isStrict && isUnknown ? 3 : 0
}

/** For people: faults first; unknown claims are only counted unless requested. */
export function findingText(files: readonly AnalyzedFile[]): string {
  const lines = files.flatMap((one) => [
    `${one.problems.length === 0 && !(one.report?.findings.some(isFault) ?? false) ? '✓' : '✗'} ${one.file}${sums(one.report)}`,
    ...one.problems.map((problem) => `  ${placed(one.file, problem)}`),
    ...shownFindings(one).map((line) => `  ${line}`),
  ])
  return [...lines, ''].join('\n')
}

function sums(report: Report | undefined): string {
  if (report === undefined) return ''
  const { proved, refuted, unknown } = report.questions
  const end = report.truncated ? ', the budget ended before all were answered' : ''
  return `: ${proved + refuted + unknown} questions, ${unknown} unknown${end}`
}

function shownFindings({ file, report, positions }: AnalyzedFile): readonly string[] {
  const shown = (report?.findings ?? []).map((finding, index) => ({ finding, at: positions?.[index] }))
  return shown
    .toSorted((one, other) => rankOf(one.finding) - rankOf(other.finding))
    .flatMap(({ finding, at }) => {
      const { place, witness, by } = finding
      const problem = { path: place, message: messageOf(finding), ...at }
      return [
        placed(file, problem),
        ...(by === undefined ? [] : [`  by      ${by.join(', ')}`]),
        ...(witness === undefined ? [] : [`  input   ${witnessText(witness)}`]),
      ]
    })
}

const rankOf = ({ verdict, severity }: Finding): number =>
  verdict === 'unknown' ? 3 : ['error', 'warning', 'info'].indexOf(severity)

function messageOf({ kind, verdict, severity, reason }: Finding): string {
  const certainty = verdict === 'unknown' ? 'unknown' : severity
  return `${certainty}: ${kind}${reason === undefined ? '' : `: ${reason}`}`
}

/** For programs. */
export function findingJson(files: readonly AnalyzedFile[]): string {
  return `${stringifyJson(files.map(({ file, problems, report }) => ({ file, problems, report: report ?? null })))}\n`
}

/** For build servers: a file is a test, and each fault a failure of it. */
export function findingJunit(files: readonly AnalyzedFile[]): string {
  return junitReport(
    files.map((one): FileReport => {
      const { file, problems, report } = one
      const faults = (report?.findings ?? []).filter(isFault)
      return {
        file,
        name: report?.ruleset,
        problems,
        warnings: [],
        cases: undefined,
        coverage: undefined,
        demands: faults.map((finding) => `${finding.place} ${messageOf(finding)}`),
      }
    }),
  )
}

/** For a comment on a pull request. */
export function findingMarkdown(files: readonly AnalyzedFile[]): string {
  return files
    .map(({ file, problems, report }) => {
      const rows = (report?.findings ?? [])
        .filter((finding) => finding.verdict !== 'unknown')
        .map((finding) => {
          const { place, witness } = finding
          return `| ${finding.severity} | ${finding.kind} | ${codeCell(place)} | ${cell(finding.reason ?? '')} | ${witness === undefined ? '' : codeCell(witnessText(witness))} |`
        })
      const table =
        rows.length === 0 ? [] : ['| severity | finding | place | reason | input |', '|---|---|---|---|---|', ...rows]
      const faults = problems.map((problem) => `- ${cell(placed(file, problem))}`)
      return [`### ${cell(file)}${sums(report)}`, '', ...faults, ...table, ''].join('\n')
    })
    .join('\n')
}

/** A text in a cell of a Markdown table. */
export const cell = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')

/** A text as code in a cell of a table. */
export const codeCell = (text: string): string => quoteCode(text).replaceAll('|', '\\|').replaceAll('\n', ' ')

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** For code scanning: SARIF 2.1.0. */
export function findingSarif(files: readonly AnalyzedFile[]): string {
  const results = files.flatMap(({ file, report, positions }) =>
    (report?.findings ?? []).map((finding, index) => {
      const { kind, verdict, severity, place, witness } = finding
      return sarifResult({
        file,
        ruleId: kind,
        level: verdict === 'unknown' ? 'note' : LEVELS[severity],
        message: `${place} ${messageOf(finding)}`,
        place,
        at: positions?.[index],
        properties: { verdict, ...(witness && { witness: { ...witness } }) },
      })
    }),
  )
  return sarifText(
    'engine analyze',
    FINDING_KINDS.map((id) => ({ id })),
    results,
  )
}
