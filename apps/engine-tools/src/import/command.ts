import { type Command, Option } from 'commander'
import { migrate } from '../migrate/migrate.ts'
import { isSame, migrationJson, migrationJunit, migrationText } from '../migrate/report.ts'
import { addFormat, writeReport } from '../output.ts'
import { ToolError } from '../tool.ts'
import { formatNamedBy, formatOfDocument, FORMATS, type ImportFormat } from './formats.ts'
import { readDocuments } from './read-documents.ts'
import { importJson, importJunit, importText } from './report.ts'
import { ruleFilesOf, writeRuleFiles } from './rule-files.ts'

const MIGRATIONS = { text: migrationText, json: migrationJson, junit: migrationJunit } as const
const IMPORTS = { text: importText, json: importJson, junit: importJunit } as const

interface ImportFlags {
  readonly format: keyof typeof MIGRATIONS
  readonly from: 'origin' | ImportFormat
  readonly output?: string
  readonly decision?: string
  readonly repeatInput: boolean
}

/** `engine import` */
export function defineImport(command: Command): void {
  addFormat(command, MIGRATIONS)
    .argument('[paths...]', 'documents, or folders with documents (default: this folder)')
    .addOption(
      new Option('--from <format>', "of the documents; `origin`: rulesets of the specification's original service")
        .choices(['origin', ...Object.keys(FORMATS)])
        .default('origin'),
    )
    .option(
      '-o, --output <path>',
      'write the rule files and their cases to a folder; with `origin` the report to a file',
    )
    .option('--decision <name>', 'convert only this decision or decision service (`dmn`)')
    .option('--no-repeat-input', 'omit the input from results that include it (`gorules`)')
    .addHelpText(
      'after',
      '\nExit codes: 0 all is converted and no case failed; 1 something is refused or a case failed, or with `origin` something differs; 2 called wrongly.',
    )
    .action(async (given: readonly string[], flags: ImportFlags, self: Command) => {
      const paths = given.length === 0 ? ['.'] : given
      refuseIdleOptions(flags, (name) => self.getOptionValueSource(name) === 'cli')
      if (flags.from === 'origin') await reportOrigin(paths, flags)
      else await importFrom(flags.from, paths, flags)
    })
}

/** Throws `ToolError` for an option that has no effect on the format. */
function refuseIdleOptions({ from }: ImportFlags, isGiven: (option: string) => boolean): void {
  if (isGiven('decision') && from !== 'dmn') throw new ToolError('`--decision` requires `--from dmn`')
  if (isGiven('repeatInput') && from !== 'gorules') throw new ToolError('`--no-repeat-input` requires `--from gorules`')
}

async function reportOrigin(paths: readonly string[], { format, output }: ImportFlags): Promise<void> {
  for (const path of paths) {
    const other = formatNamedBy(path)
    if (other !== undefined) throw new ToolError(`${path}: for documents of this kind, give \`--from ${other}\``)
  }
  const reports = await migrate(paths, formatOfDocument)
  if (reports.length === 0) throw new ToolError('there are no rule files here')
  await writeReport(MIGRATIONS[format](reports), output)
  if (!isSame(reports)) process.exitCode = 1
}

async function importFrom(
  from: ImportFormat,
  paths: readonly string[],
  { format, output, decision, repeatInput }: ImportFlags,
): Promise<void> {
  const { documents, skipped } = await readDocuments(from, paths, { decision, repeatInput })
  if (documents.length === 0) throw new ToolError(nothingFound(from, skipped))
  const { report, files } = await ruleFilesOf(documents)
  if (output !== undefined) await writeRuleFiles(output, files)
  await writeReport(IMPORTS[format](report, skipped), undefined)
  if (report.summary.refused + report.summary.failed > 0) process.exitCode = 1
}

function nothingFound(from: ImportFormat, skipped: readonly string[]): string {
  const none = `there are no ${FORMATS[from].endings.join(' or ')} files here`
  return skipped.length === 0 ? none : `${none}, apart from files of the project: ${skipped.join(', ')}`
}
