import type { Command } from 'commander'
import { extname } from 'node:path'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { counted } from '../quantity.ts'
import { completeRoles } from './column-question.ts'
import { draftOfSheet, readSheet, WrongColumns } from './from-sheet.ts'
import { sheetOfRules } from './to-sheet.ts'

interface TableFlags extends JsonFlag {
  readonly output: string
  readonly inputs?: readonly string[]
  readonly outputs?: readonly string[]
  readonly name?: string
  readonly sheet?: string
  readonly step?: string
}

const SHEETS = ['.csv', '.xlsx']

/** `engine table` */
export function defineTable(command: Command): void {
  addJson(command)
    .argument('<file>', 'a sheet, .csv or .xlsx; or a rule file or draft with a table')
    .requiredOption('-o, --output <file>', 'the draft of a sheet, .json or .yaml; the sheet of rules, .csv or .xlsx')
    .option('--inputs <titles>', 'the columns that a row tests, separated by commas', titlesIn)
    .option('--outputs <titles>', 'the columns that a row sets, separated by commas', titlesIn)
    .option('--name <name>', 'of the ruleset (default: that of the output file)')
    .option('--sheet <name>', 'of a workbook with several')
    .option('--step <id>', 'of rules with several tables')
    .addHelpText(
      'after',
      '\nOn a terminal you can enter the columns; elsewhere --inputs and --outputs are required, unless the header has the\nform in:field, out:field. A bare word is a text, also NO and 007; cells that can mean two things are refused.\nExit codes: 0 written, 1 a cell or a rule has no form in the other file, 2 called wrongly.',
    )
    .action(async (file: string, flags: TableFlags) => {
      const [from, to] = [file, flags.output].map((path) => extname(path).toLowerCase())
      if (from === undefined || to === undefined || SHEETS.includes(from) === SHEETS.includes(to))
        return command.error('error: one of the files is a sheet (.csv, .xlsx), the other one is not')
      if (SHEETS.includes(from)) await toDraft(command, file, flags)
      else await toSheet(command, file, flags)
    })
}

async function toDraft(command: Command, file: string, flags: TableFlags): Promise<void> {
  if (flags.step !== undefined) return command.error('error: --step chooses a table of rules, and the file is a sheet')
  const { output, json } = flags
  try {
    const sheet = await readSheet(file, flags.sheet)
    const { inputs, outputs } = flags
    if (sheet.hasRoles && (inputs ?? outputs) !== undefined)
      return command.error('error: the header names inputs and outputs already: omit --inputs and --outputs')
    const roles = sheet.hasRoles ? undefined : await completeRoles(sheet.titles, { inputs, outputs })
    const { draft, rows } = await draftOfSheet(file, sheet, { roles, output, name: flags.name })
    printResult(
      { json },
      { input: file, output, name: draft.config.name, rows },
      `✓ ${file} -> ${output}: ${counted(rows, 'row')}`,
    )
  } catch (error) {
    if (error instanceof WrongColumns) command.error(`error: ${error.message}`)
    throw error
  }
}

async function toSheet(command: Command, file: string, flags: TableFlags): Promise<void> {
  const idle = (['inputs', 'outputs', 'name', 'sheet'] as const).find((option) => flags[option] !== undefined)
  if (idle !== undefined) return command.error(`error: --${idle} belongs to the reading of a sheet`)
  const { output, step, json } = flags
  const rows = await sheetOfRules(file, output, step)
  printResult({ json }, { input: file, output, rows }, `✓ ${file} -> ${output}: ${counted(rows, 'row')}`)
}

const titlesIn = (text: string): readonly string[] => text.split(',').map((title) => title.trim())
