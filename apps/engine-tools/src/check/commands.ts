import { quote } from '@engine/expression'
import { type Command, InvalidArgumentError } from 'commander'
import { addFormat, writeReport } from '../output.ts'
import { ToolError } from '../tool.ts'
import { check } from './check.ts'
import { findRuleFiles } from './rule-files.ts'
import { findServedFiles } from './served-files.ts'
import { jsonReport, junitReport, sarifReport, summaryOf, textReport } from './report.ts'

const REPORTS = { text: textReport, json: jsonReport, junit: junitReport, sarif: sarifReport } as const

interface CheckFlags {
  readonly format: keyof typeof REPORTS
  readonly output?: string
  readonly minCoverage?: number
  readonly requireCases?: boolean
  readonly rulesDir?: string
}

interface TestFlags {
  readonly format: keyof typeof REPORTS
  readonly output?: string
  readonly filter?: string
}

/** `engine check` */
export function defineCheck(command: Command): void {
  addFormat(command, REPORTS)
    // Options after a subcommand belong to it.
    .enablePositionalOptions()
    .argument('[paths...]', 'rule files, or folders with rule files and projects of a platform (default: this folder)')
    .option('-o, --output <file>', 'write the report to a file')
    .option('--min-coverage <percent>', 'fail when the cases take fewer of the branches and rows', percentage)
    .option('--require-cases', 'fail when a ruleset has no cases')
    .option('--rules-dir <folder>', 'judge this folder as an engine would that has it as its rules directory')
    .addHelpText(
      'after',
      '\nThe cases of `limit.json` stand in `limit.cases.json`: [{"name", "input", "expect": {"code"?, "message"?, "output"?, "exact"?, "path"?, "tolerance"?, "error"?}}].\nExit codes: 0 all is good, 1 something is not, 2 called wrongly.',
    )
    .action(async (paths: readonly string[], flags: CheckFlags) => {
      const { format, output, minCoverage, requireCases = false, rulesDir } = flags
      if (rulesDir !== undefined && paths.length > 0)
        return command.error('error: --rules-dir names the folder to check: leave out the paths')
      const found = await (rulesDir === undefined
        ? findRuleFiles(paths.length === 0 ? ['.'] : paths)
        : findServedFiles(rulesDir))
      const reports = await check(found, { minCoverage, requireCases })
      if (reports.length === 0) throw new ToolError('there are no rule files here')
      await writeReport(REPORTS[format](reports), output)
      if (!summaryOf(reports).isGood) process.exitCode = 1
    })
}

/** `engine test` */
export function defineTest(command: Command): void {
  addFormat(command, REPORTS)
    .argument('[paths...]', 'rule files with cases beside them, or folders with them (default: this folder)')
    .option('-o, --output <file>', 'write the report to a file')
    .option('--filter <text>', 'run only the cases whose names contain this')
    .addHelpText('after', '\nExit codes: 0 every case passed, 1 one did not, or there are none, 2 called wrongly.')
    .action(async (paths: readonly string[], { format, output, filter }: TestFlags) => {
      const found = await findRuleFiles(paths.length === 0 ? ['.'] : paths)
      const all = await check(found, { minCoverage: undefined, requireCases: false, filter })
      const reports = all.filter(({ problems, cases }) => problems.length > 0 || (cases ?? []).length > 0)
      if (reports.length === 0)
        throw new ToolError(
          filter === undefined ? 'there are no cases here' : `no case has a name with ${quote(filter)}`,
        )
      await writeReport(REPORTS[format](reports), output)
      if (!summaryOf(reports).isGood) process.exitCode = 1
    })
}

function percentage(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('expected 0 to 100.')
  return value
}
