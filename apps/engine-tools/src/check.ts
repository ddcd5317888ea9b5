import { InvalidArgumentError, Option } from 'commander'
import { backUp } from './backup/backup.ts'
import { check } from './check/check.ts'
import { jsonReport, junitReport, summaryOf, textReport } from './check/report.ts'
import { contentOf, replaceFile } from './files.ts'
import { migrate } from './migrate/migrate.ts'
import { isSame, migrationJson, migrationJunit, migrationText } from './migrate/report.ts'
import { runTool, tool, ToolError, withFile } from './tool.ts'
import { BadContract, parseContract } from './typegen/contract.ts'
import { typescriptOf } from './typegen/typescript.ts'

const REPORTS = { text: textReport, json: jsonReport, junit: junitReport } as const

interface CheckFlags {
  readonly format: keyof typeof REPORTS
  readonly output?: string
  readonly minCoverage?: number
  readonly requireCases?: boolean
}

const command = tool('engine-check', 'Validates rule files and exported projects, and runs their cases.')
  // Arguments after `typegen` belong to it.
  .enablePositionalOptions()
  .argument('[paths...]', 'rule files, or folders with rule files and projects of a platform (default: this folder)')
  .addOption(
    new Option('-f, --format <format>', 'how the report is written').choices(Object.keys(REPORTS)).default('text'),
  )
  .option('-o, --output <file>', 'write the report to a file')
  .option('--min-coverage <percent>', 'fail when the cases take fewer of the branches and rows', percentage)
  .option('--require-cases', 'fail when a ruleset has no cases')
  .addHelpText(
    'after',
    '\nThe cases of `limit.json` stand in `limit.cases.json`: [{"name", "input", "expect": {"code"?, "message"?, "output"?, "exact"?, "path"?, "tolerance"?, "error"?}}].\nExit codes: 0 all is good, 1 something is not, 2 called wrongly.',
  )
  .action(async (paths: readonly string[], { format, output, minCoverage, requireCases = false }: CheckFlags) => {
    const reports = await check(paths.length === 0 ? ['.'] : paths, { minCoverage, requireCases })
    if (reports.length === 0) throw new ToolError('there are no rule files here')
    await write(REPORTS[format](reports), output)
    if (!summaryOf(reports).isGood) process.exitCode = 1
  })

command
  .command('typegen')
  .description('Makes TypeScript types of a contract, for `@engine/client`.')
  .argument('<contract>', 'a contract as JSON: name, version, input.fields, outputs')
  .option('-o, --output <file>', 'where the types go (default: standard output)')
  .action(async (path: string, { output }: { readonly output?: string }) => {
    const contract = (await contentOf(path)).toString('utf8')
    const text = withFile(path, [BadContract], () => typescriptOf(parseContract(contract)))
    await write(text, output)
  })

const MIGRATIONS = { text: migrationText, json: migrationJson, junit: migrationJunit } as const

interface MigrateFlags {
  readonly format: keyof typeof MIGRATIONS
  readonly output?: string
}

command
  .command('migrate')
  .description("Names the places of rulesets that mean something else at the origin of the engine's specification.")
  .argument('[paths...]', 'rule files, or folders with rule files (default: this folder)')
  .addOption(
    new Option('-f, --format <format>', 'how the report is written').choices(Object.keys(MIGRATIONS)).default('text'),
  )
  .option('-o, --output <file>', 'write the report to a file')
  .addHelpText('after', '\nExit codes: 0 nothing differs, 1 something does or a file is no ruleset, 2 called wrongly.')
  .action(async (paths: readonly string[], { format, output }: MigrateFlags) => {
    const reports = await migrate(paths.length === 0 ? ['.'] : paths)
    if (reports.length === 0) throw new ToolError('there are no rule files here')
    await write(MIGRATIONS[format](reports), output)
    if (!isSame(reports)) process.exitCode = 1
  })

command
  .command('backup')
  .description('Copies a rules directory, also while a server writes to it.')
  .argument('<rules-dir>', 'the rules directory of a server')
  .argument('<folder>', 'where the copy goes: a new or empty folder')
  .addHelpText(
    'after',
    '\nExit codes: 0 all is copied, 1 something could not be, or a rule file is none, 2 called wrongly.',
  )
  .action(async (source: string, target: string) => {
    const { files, rulesets, unserved, tolerated } = await backUp(source, target)
    process.stdout.write(`${rulesets} rulesets verified, ${files} files copied: ${source} -> ${target}\n`)
    for (const line of tolerated) process.stderr.write(`served, but refused in a new ruleset: ${line}\n`)
    for (const line of unserved) process.stderr.write(`not served: ${line}\n`)
    if (unserved.length === 0) return
    process.exitCode = 1
    if (rulesets === 0) process.stderr.write(`error: none of the ${unserved.length} rule files is a ruleset\n`)
  })

async function write(text: string, output: string | undefined): Promise<void> {
  if (output === undefined) process.stdout.write(text)
  else await replaceFile(output, Buffer.from(text))
}

function percentage(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 100)) throw new InvalidArgumentError('expected 0 to 100.')
  return value
}

await runTool(command)
