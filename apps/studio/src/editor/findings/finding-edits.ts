import { intendedPlace, type DraftRuleset, type IntendedFinding, type Row, type TableStep } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { emptyRow } from '../../table-editor/rows.ts'
import type { DraftFinding } from '../../language/tasks.ts'

/** A table row, by its position in the draft. */
interface RowPlace {
  readonly step: TableStep
  /** Index. */
  readonly row: number
}

/** The table of the ruleset's own steps at a JSON pointer, with the row. */
export function tableAt(
  { steps }: DraftRuleset,
  path: string,
): { readonly step: TableStep; readonly row: number | undefined } | undefined {
  const [, step, row] = /^\/steps\/(\d+)(?:\/rows\/(\d+))?(?:\/|$)/.exec(path) ?? []
  const found = steps[Number(step)]
  return found?.type === 'table' ? { step: found, row: row === undefined ? undefined : Number(row) } : undefined
}

/**
 * The row before which a shadowed row would be reached; undefined if there is none, or if the order of rows does not
 * matter.
 */
export function rowToPass(
  draft: DraftRuleset,
  { kind, path, by }: DraftFinding,
): (RowPlace & { readonly before: number }) | undefined {
  const at = tableAt(draft, path)
  if (kind !== 'shadowed' || at?.row === undefined || at.step.hitPolicy !== 'first') return undefined
  const rows = by.flatMap((one) => tableAt(draft, one)?.row ?? [])
  return rows.length === 0 ? undefined : { step: at.step, row: at.row, before: Math.min(...rows) }
}

const withTable = (draft: DraftRuleset, id: string, change: (step: TableStep) => TableStep): DraftRuleset => ({
  ...draft,
  steps: draft.steps.map((one) => (one.id === id && one.type === 'table' ? change(one) : one)),
})

/** The draft with a row of a table moved before another one. */
export const withRowBefore = (draft: DraftRuleset, id: string, row: number, before: number): DraftRuleset =>
  withTable(draft, id, (step) => {
    const moved = step.rows[row]
    if (moved === undefined) return step
    return { ...step, rows: step.rows.toSpliced(row, 1).toSpliced(before, 0, moved) }
  })

/** The draft without a row of a table. */
export const withoutRow = (draft: DraftRuleset, id: string, row: number): DraftRuleset =>
  withTable(draft, id, (step) => ({ ...step, rows: step.rows.toSpliced(row, 1) }))

/**
 * The draft with a new last row for an input that no row matches. The row tests the input's texts and booleans but not
 * its numbers, so that it also matches similar inputs.
 */
export const withRowFor = (draft: DraftRuleset, id: string, input: { readonly [key: string]: Value }): DraftRuleset =>
  withTable(draft, id, (step) => {
    const cells = step.columns.flatMap(({ id: column, kind, field = '' }): readonly (readonly [string, string])[] => {
      const value = kind === 'input' ? valueAt(input, field) : undefined
      return typeof value === 'string' || typeof value === 'boolean' ? [[column, JSON.stringify(value)]] : []
    })
    const row: Row = { ...emptyRow(step.rows), cells: Object.fromEntries(cells) }
    return { ...step, rows: [...step.rows, row] }
  })

function valueAt(input: Value, path: string): Value | undefined {
  let at: Value | undefined = input
  for (const name of path.split('.')) {
    if (at === undefined || !isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** Whether both are the same finding, intended for the same reason. */
export const isSameFinding = (one: IntendedFinding, other: IntendedFinding): boolean =>
  one.finding === other.finding && one.place === other.place && one.reason === other.reason

/** The draft with a finding marked as intended. */
export function withIntended(draft: DraftRuleset, { kind, path }: DraftFinding, reason: string): DraftRuleset {
  const added: IntendedFinding = { finding: kind, place: intendedPlace(path, draft), reason }
  const { intended = [] } = draft.config
  return { ...draft, config: { ...draft.config, intended: [...intended, added] } }
}

/** The draft with an intended finding unmarked. */
export function withoutIntended(draft: DraftRuleset, index: number): DraftRuleset {
  const { intended = [], ...config } = draft.config
  const kept = intended.toSpliced(index, 1)
  return { ...draft, config: { ...config, ...(kept.length > 0 && { intended: kept }) } }
}
