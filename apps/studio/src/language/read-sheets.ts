import type { DraftRuleset } from '@engine/authoring'
import { fromCsv, fromXlsx } from '@engine/interchange'
import type { ReadSheets, SheetTable, Tasks } from './tasks.ts'

/** The tables of a spreadsheet file. Throws when the file exceeds the limits. */
export function readSheets({ bytes, format, columns }: Tasks['sheets']['takes']): ReadSheets {
  const known = columns.filter(({ field = '' }) => field !== '')
  const { rulesets, lost } =
    format === 'xlsx' ? fromXlsx(new Uint8Array(bytes), undefined, known) : fromCsv(textOf(bytes), undefined, known)
  return { tables: rulesets.flatMap(({ name, ruleset }) => tableOf(name, ruleset)), lost }
}

/**
 * Spreadsheets write CSV in UTF-8 or in the code page of the system. Text that is not UTF-8 is read in the code page of
 * Western Europe.
 */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function tableOf(name: string, { steps }: DraftRuleset): readonly SheetTable[] {
  const codes = new Map(steps.flatMap((step) => (step.type === 'terminal' ? [[step.id, step.code ?? '']] : [])))
  return steps.flatMap((step) => {
    if (step.type !== 'table') return []
    const rows = step.rows.map((row) =>
      row.nextStepId === undefined ? row : { ...row, nextStepId: codes.get(row.nextStepId) ?? row.nextStepId },
    )
    return [{ name, columns: step.columns, rows }]
  })
}
