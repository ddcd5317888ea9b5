import type { Command } from 'commander'
import { addFormat, writeReport } from '../output.ts'
import { ToolError } from '../tool.ts'
import { migrate } from './migrate.ts'
import { isSame, migrationJson, migrationJunit, migrationText } from './report.ts'

const MIGRATIONS = { text: migrationText, json: migrationJson, junit: migrationJunit } as const

interface MigrateFlags {
  readonly format: keyof typeof MIGRATIONS
  readonly output?: string
}

/** `engine import` */
export function defineImport(command: Command): void {
  addFormat(command, MIGRATIONS)
    .argument('[paths...]', 'rule files, or folders with rule files (default: this folder)')
    .option('-o, --output <file>', 'write the report to a file')
    .addHelpText(
      'after',
      '\nExit codes: 0 nothing differs, 1 something does or a file is no ruleset, 2 called wrongly.',
    )
    .action(async (paths: readonly string[], { format, output }: MigrateFlags) => {
      const reports = await migrate(paths.length === 0 ? ['.'] : paths)
      if (reports.length === 0) throw new ToolError('there are no rule files here')
      await writeReport(MIGRATIONS[format](reports), output)
      if (!isSame(reports)) process.exitCode = 1
    })
}
