import {
  csvText,
  decodeDraft,
  draftOf,
  type DraftRuleset,
  isDraft,
  tableRecords,
  type TableStep,
} from '@engine/authoring'
import { quote, quoteCode } from '@engine/expression'
import { toXlsx } from '@engine/interchange'
import { extname } from 'node:path'
import { readNamed } from '../check/rule-files.ts'
import { replaceFile } from '../files.ts'
import { placed } from '../problem.ts'
import { ToolError } from '../tool.ts'

/** Writes the table of rules as a sheet that `engine table` reads again; returns its number of rows. Throws `ToolError`. */
export async function sheetOfRules(file: string, output: string, step: string | undefined): Promise<number> {
  const draft = await draftIn(file)
  const table = tableIn(file, draft, step)
  const codes = new Map(draft.steps.flatMap((one) => (one.type === 'terminal' ? [[one.id, one.code ?? '']] : [])))
  const records = tableRecords(table, (id) => {
    const code = codes.get(id)
    if (code !== undefined && code !== '') return code
    throw new ToolError(
      `${file}: a row of ${quoteCode(table.id)} leads to ${quoteCode(id)}, which is not a terminal with a code`,
    )
  })
  // A sheet whose rows all end alike needs no such column.
  const hasNext = records.slice(1).some((cells) => cells.length > table.columns.length && cells.at(-1) !== '')
  const cells = hasNext ? records : records.map((record) => record.slice(0, table.columns.length))
  const isWorkbook = extname(output).toLowerCase() === '.xlsx'
  await replaceFile(output, isWorkbook ? Buffer.from(toXlsx(draft.config.name, cells)) : Buffer.from(csvText(cells)))
  for (const loss of lossesOf(draft, table)) process.stderr.write(`warning: ${file}: ${loss}\n`)
  return cells.length - 1
}

/** Throws `ToolError`. */
async function draftIn(file: string): Promise<DraftRuleset> {
  const { read } = await readNamed(file)
  if ('reason' in read) throw new ToolError(`${file}: ${read.reason}`)
  const { draft, problems } = isDraft(read.document) ? decodeDraft(read.document) : draftOf(read.document)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (draft === undefined || errors.length > 0)
    throw new ToolError(errors.map((problem) => placed(file, problem)).join('\n'))
  return draft
}

/** Throws `ToolError`. */
function tableIn(file: string, { steps }: DraftRuleset, wanted: string | undefined): TableStep {
  const tables = steps.filter((one) => one.type === 'table')
  const [table, ...others] = wanted === undefined ? tables : tables.filter(({ id }) => id === wanted)
  const ids = tables.map(({ id }) => quoteCode(id)).join(', ')
  if (table === undefined && tables.length === 0) throw new ToolError(`${file}: the rules have no table`)
  if (table === undefined) throw new ToolError(`${file}: there is no table ${quote(wanted ?? '')}: it has ${ids}`)
  if (others.length > 0) throw new ToolError(`${file}: it has the tables ${ids}: choose one by --step`)
  return table
}

/** The parts of the rules that the sheet lacks. */
function lossesOf({ steps }: DraftRuleset, table: TableStep): readonly string[] {
  const others = steps.filter((one) => one !== table && one.type !== 'terminal').map(({ id }) => quoteCode(id))
  const [disabled, notes] = [
    table.rows.filter((row) => row.disabled === true).length,
    table.rows.filter((row) => row.note !== undefined).length,
  ]
  return [
    ...(others.length > 0 ? [`only the table is written, not the steps ${others.join(', ')}`] : []),
    ...(table.hitPolicy === 'first'
      ? []
      : [`a sheet has no hit policy: ${quoteCode(table.hitPolicy)} is read back as \`first\``]),
    ...(disabled > 0 ? [`${disabled} disabled rows are not written`] : []),
    ...(notes > 0 ? [`${notes} notes of rows are not written`] : []),
  ]
}
