import { quote, quoteCode } from '@engine/expression'
import { type FileReport, junitReport } from '../check/report.ts'
import { placed } from '../problem.ts'
import type { Finding } from './finding.ts'
import type { MigrationReport } from './migrate.ts'

/** Whether nothing differs, and every file is a ruleset. */
export function isSame(reports: readonly MigrationReport[]): boolean {
  return reports.every(({ problems, findings }) => problems.length + findings.length === 0)
}

/** For people. */
export function migrationText(reports: readonly MigrationReport[]): string {
  const count = reports.reduce((sum, { findings }) => sum + findings.length, 0)
  const lines = reports.flatMap(({ file, problems, findings }) => [
    `${problems.length + findings.length === 0 ? '✓' : '✗'} ${file}`,
    ...problems.map((problem) => `  ${placed(file, problem)}`),
    ...findings.flatMap((finding) => findingLines(file, finding).map((line) => `  ${line}`)),
  ])
  const files = `${reports.length} ruleset${reports.length === 1 ? '' : 's'}`
  const places = count === 0 ? 'no place differs' : `${count} place${count === 1 ? ' differs' : 's differ'}`
  return [...lines, '', `${isSame(reports) ? '✓' : '✗'} ${files}, ${places}`, ''].join('\n')
}

function findingLines(file: string, finding: Finding): readonly string[] {
  const { path, line, column, code, effect, expression, at, there, here, write } = finding
  const place = { path, message: `${code}${effect === 'fails' ? ' (an error here)' : ''}` }
  const where = at === undefined || at.line > 1 ? '' : `, column ${at.column}`
  return [
    placed(file, line === undefined ? place : { ...place, line, column: column ?? 1 }),
    ...(expression === undefined ? [] : [`  in     ${quoteCode(expression)}${where}`]),
    `  there  ${visible(there)}`,
    `  here   ${visible(here)}`,
    `  write  ${visible(write)}`,
  ]
}

/** The full text, with code points replacing invisible characters. */
function visible(text: string): string {
  return quote(text, Infinity).slice(1, -1)
}

/** For programs. */
export function migrationJson(reports: readonly MigrationReport[]): string {
  const findings = reports.flatMap((report) => report.findings)
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted()
  const summary = {
    files: reports.length,
    findings: findings.length,
    codes: Object.fromEntries(codes.map((code) => [code, findings.filter((finding) => finding.code === code).length])),
  }
  return `${JSON.stringify({ summary, files: reports }, undefined, 2)}\n`
}

/** For build servers: a file is a test, and each place a failure of it. */
export function migrationJunit(reports: readonly MigrationReport[]): string {
  return junitReport(
    reports.map(({ file, name, problems, findings }): FileReport => ({
      file,
      name,
      problems,
      warnings: [],
      cases: undefined,
      coverage: undefined,
      demands: findings.map((finding) => findingLines(file, finding).join('\n')),
    })),
  )
}
