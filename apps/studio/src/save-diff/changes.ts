import { type Column, diffDrafts, type DraftRuleset, type Row, type TableStep } from '@engine/authoring'
import type { StepChange } from '../graph-editor/node.tsx'
import type { RowSide } from '../table-editor/grid-row.tsx'

/** The differences between two drafts by step, ignoring positions on the canvas. */
export function stepChanges(before: DraftRuleset, after: DraftRuleset): ReadonlyMap<string, StepChange> {
  const { steps_added: added, steps_removed: removed, steps_changed: changed } = diffDrafts(before, after)
  return new Map<string, StepChange>([
    ...added.map((id) => [id, 'added'] as const),
    ...removed.map((id) => [id, 'removed'] as const),
    ...changed.filter(({ path }) => !path.startsWith('/position')).map(({ id }) => [id, 'changed'] as const),
  ])
}

/** Two versions of a table, row by row. */
export interface ComparedTables {
  /** Columns of either version; a side may lack their cells. */
  readonly columns: readonly Column[]
  readonly before: SideOfTable
  readonly after: SideOfTable
  /** Indexes of the rows that differ. */
  readonly changed: readonly number[]
}

export interface SideOfTable {
  readonly rows: readonly Row[]
  readonly sides: readonly RowSide[]
}

/** Rows with the same id are the same row. A removed row follows its former predecessor. */
export function compareTables(before: TableStep | undefined, after: TableStep | undefined): ComparedTables {
  const columns = joined(before?.columns ?? [], after?.columns ?? [])
  const [old, now] = [numbered(before), numbered(after)]
  const rows = joined(before?.rows ?? [], after?.rows ?? []).map(({ id }) => ({
    id,
    was: old.get(id),
    is: now.get(id),
  }))
  const cells = rows.map(({ was, is }) => changedCells(was?.row, is?.row, columns))
  const sideOf = (which: 'was' | 'is'): SideOfTable => ({
    rows: rows.map(({ id, [which]: one }) => one?.row ?? { id, cells: {} }),
    sides: rows.map(({ was, is, [which]: one }, index) => ({
      number: one?.number,
      change: one === undefined ? 'absent' : was === undefined ? 'added' : is === undefined ? 'removed' : undefined,
      cells: was === undefined || is === undefined ? '' : (cells[index] ?? []).join(),
    })),
  })
  return {
    columns,
    before: sideOf('was'),
    after: sideOf('is'),
    changed: rows.flatMap(({ was, is }, index) =>
      was === undefined || is === undefined || (cells[index] ?? []).length > 0 ? [index] : [],
    ),
  }
}

const numbered = (step: TableStep | undefined) =>
  new Map((step?.rows ?? []).map((row, index) => [row.id, { row, number: index + 1 }]))

/** The later list with the items that exist only in the earlier one, each after its former predecessor. */
function joined<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
): readonly Item[] {
  const kept = new Set(after.map(({ id }) => id))
  const gone = new Map<string, Item[]>()
  let last = ''
  for (const item of before)
    if (kept.has(item.id)) last = item.id
    else gone.getOrInsertComputed(last, () => []).push(item)
  return [...(gone.get('') ?? []), ...after.flatMap((item) => [item, ...(gone.get(item.id) ?? [])])]
}

/** Ids of the columns with different cells, and `next`, `note` or `disabled` for other changed members. */
export function changedCells(was: Row | undefined, is: Row | undefined, columns: readonly Column[]): readonly string[] {
  if (was === undefined || is === undefined || was === is) return []
  return [
    ...columns.flatMap(({ id }) => ((was.cells[id] ?? '') === (is.cells[id] ?? '') ? [] : [id])),
    ...(was.nextStepId === is.nextStepId ? [] : ['next']),
    ...((was.note ?? '') === (is.note ?? '') ? [] : ['note']),
    ...((was.disabled ?? false) === (is.disabled ?? false) ? [] : ['disabled']),
  ]
}
