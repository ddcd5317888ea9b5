import type { DraftRuleset } from '@engine/authoring'
import { quote, stringifyJson } from '@engine/expression'
import {
  ColumnRoleFault,
  type ColumnRoles,
  csvSheet,
  type PlainSheet,
  TooLarge,
  type Imported,
  xlsxSheets,
} from '@engine/interchange'
import { ruleFileText, writeRuleFile } from '@engine/rule-file'
import { basename, extname } from 'node:path'
import { contentOf, replaceFile, ruleEnding } from '../files.ts'
import { placed } from '../problem.ts'
import { ToolError } from '../tool.ts'

/** The roles of columns do not fit the sheet: the command was called wrongly. */
export class WrongColumns extends Error {}

/** A sheet of a file; of a workbook with several the one with a name. Throws `ToolError`. */
export async function readSheet(file: string, wanted: string | undefined): Promise<PlainSheet> {
  const bytes = await contentOf(file)
  const isWorkbook = extname(file).toLowerCase() === '.xlsx'
  if (!isWorkbook && wanted !== undefined) throw new ToolError(`${file}: --sheet chooses a sheet of a workbook (.xlsx)`)
  const found = sizeChecked(file, () => (isWorkbook ? xlsxSheets(bytes) : csvSheet(textOf(file, bytes), 'table')))
  if ('lost' in found) throw refused(file, found.lost)
  const sheets = 'sheet' in found ? [found.sheet] : found.sheets
  const names = sheets.map(({ name }) => quote(name)).join(', ')
  const chosen = wanted === undefined ? sheets : sheets.filter(({ name }) => name === wanted)
  const [sheet, ...others] = chosen
  if (sheet === undefined)
    throw new ToolError(
      `${file}: there is no sheet ${wanted === undefined ? 'with cells' : `${quote(wanted)}: it has ${names}`}`,
    )
  if (others.length > 0) throw new ToolError(`${file}: it has the sheets ${names}: choose one by --sheet`)
  return sheet
}

/** Writes the draft of a sheet, unless a cell has no form in it. Throws `ToolError` and `WrongColumns`. */
export async function draftOfSheet(
  file: string,
  sheet: PlainSheet,
  { roles, output, name }: { roles: ColumnRoles | undefined; output: string; name: string | undefined },
): Promise<{ readonly draft: DraftRuleset; readonly rows: number }> {
  const ending = ruleEnding(output)
  if (ending === '.engine') throw new ToolError(`${output}: a draft is JSON or YAML; \`engine compile\` compiles it`)
  const { rulesets, lost } = sizeChecked(file, () => convert(sheet, name ?? basename(output, ending), roles))
  const [imported] = rulesets
  if (imported === undefined || lost.some(({ severity }) => severity === 'error')) throw refused(file, lost)
  for (const problem of lost) process.stderr.write(`warning: ${placed(file, problem)}\n`)
  const draft = imported.ruleset
  const text = stringifyJson(draft)
  await replaceFile(output, ending === '.json' ? Buffer.from(`${ruleFileText(text)}\n`) : writeRuleFile(ending, draft))
  const [table] = draft.steps
  return { draft, rows: table?.type === 'table' ? table.rows.length : 0 }
}

/** Throws `WrongColumns` and `TooLarge`. */
function convert(sheet: PlainSheet, name: string, roles: ColumnRoles | undefined): Imported {
  try {
    return sheet.toRuleset(name, roles)
  } catch (error) {
    if (error instanceof ColumnRoleFault) throw new WrongColumns(error.message)
    throw error
  }
}

function refused(file: string, lost: Imported['lost']): ToolError {
  const errors = lost.filter(({ severity }) => severity === 'error')
  return new ToolError(errors.map((problem) => placed(file, problem)).join('\n'))
}

function sizeChecked<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof TooLarge) throw new ToolError(`${file}: ${error.message}`)
    throw error
  }
}

function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ToolError(`${file}: it is not valid UTF-8: save it as "CSV UTF-8"`)
  }
}
