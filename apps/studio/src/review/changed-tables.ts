import type { Column, DraftRuleset, Row, TableStep } from '@engine/authoring'
import { escapedKey } from '@engine/expression/core'
import { changedCells, compareTables, stepChanges } from '../save-diff/changes.ts'
import { comparedGraphs, graphIn } from '../save-diff/graphs.ts'
import type { ChangedPlace } from './changed-places.ts'

/** A row of a changed table. */
export interface ChangedRow {
  /** JSON pointer to the row, with ids as keys. */
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed' | 'moved' | undefined
  /** Undefined if the row is missing on that side. Row numbers start at 1. */
  readonly before: { readonly row: Row; readonly number: number } | undefined
  readonly after: { readonly row: Row; readonly number: number } | undefined
  /** Ids of the columns with different cells, and possibly `next`, `note` and `disabled`. */
  readonly cells: ReadonlySet<string>
}

/** A table of a ruleset or of one of its sub-rules that differs between two versions. */
export interface ChangedTable {
  /** JSON pointer to the step, with ids as keys; pointers to its rows start with it. */
  readonly path: string
  /** JSON pointers to the step with indexes as keys, as in analyses; undefined if the table is missing on that side. */
  readonly at: { readonly before: string | undefined; readonly after: string | undefined }
  /** The step, that of the candidate if it exists. */
  readonly step: TableStep
  /** The graph with the following steps. */
  readonly draft: DraftRuleset
  readonly columns: readonly Column[]
  readonly rows: readonly ChangedRow[]
}

/** The tables with different rows, those of sub-rules last. Linear in the size of both drafts. */
export function changedTables(
  before: DraftRuleset,
  after: DraftRuleset,
  changes: readonly ChangedPlace[],
): readonly ChangedTable[] {
  const moved = new Set(changes.flatMap(({ path, change }) => (change === 'moved' ? [path] : [])))
  return comparedGraphs(before, after).flatMap(({ name }) => {
    const prefix = name === undefined ? '' : `/subRules/${escapedKey(name)}`
    const [old, now] = [graphIn(before, name), graphIn(after, name)]
    const ids = new Set([...now.steps, ...old.steps].map(({ id }) => id))
    const different = stepChanges(old, now)
    return [...ids].flatMap((id) => {
      if (!different.has(id)) return []
      const table = tableOf(prefix, id, old, now, moved)
      return table?.rows.some(({ change }) => change !== undefined) === true ? [table] : []
    })
  })
}

function tableOf(
  prefix: string,
  id: string,
  old: DraftRuleset,
  now: DraftRuleset,
  moved: ReadonlySet<string>,
): ChangedTable | undefined {
  const path = `${prefix}/steps/${escapedKey(id)}`
  const [was, is] = [tableIn(old, id), tableIn(now, id)]
  const step = is?.step ?? was?.step
  if (step === undefined) return undefined
  const compared = compareTables(was?.step, is?.step)
  const rows = compared.after.rows.map(({ id: rowId }, index): ChangedRow => {
    const sides = { before: compared.before.sides[index], after: compared.after.sides[index] }
    const side = (which: 'before' | 'after') => {
      const row = compared[which].rows[index]
      const number = sides[which]?.number
      return row === undefined || number === undefined ? undefined : { row, number }
    }
    const [one, other] = [side('before'), side('after')]
    const cells = new Set(changedCells(one?.row, other?.row, compared.columns))
    const rowPath = `${path}/rows/${escapedKey(rowId)}`
    return { path: rowPath, before: one, after: other, cells, change: changeOf(one, other, cells, moved.has(rowPath)) }
  })
  return {
    path,
    at: { before: was && `${prefix}/steps/${was.index}`, after: is && `${prefix}/steps/${is.index}` },
    step,
    draft: is === undefined ? old : now,
    columns: compared.columns,
    rows,
  }
}

function changeOf(before: unknown, after: unknown, cells: ReadonlySet<string>, isMoved: boolean): ChangedRow['change'] {
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  if (cells.size > 0) return 'changed'
  return isMoved ? 'moved' : undefined
}

function tableIn({ steps }: DraftRuleset, id: string) {
  const index = steps.findIndex((step) => step.id === id)
  const step = steps[index]
  return step?.type === 'table' ? { index, step } : undefined
}

/** Rows to display, or a collapsed run of unchanged rows. */
export type ShownRows =
  | { readonly kind: 'row'; readonly row: ChangedRow }
  | { readonly kind: 'folded'; readonly first: number; readonly count: number }

/**
 * Collapses unchanged rows. Linear.
 *
 * @param opened the number of expanded rows of a run, by the index of its first row
 */
export function foldedRows(
  rows: readonly ChangedRow[],
  opened: ReadonlyMap<number, number> = new Map(),
): readonly ShownRows[] {
  const shown: ShownRows[] = []
  let run: ChangedRow[] = []
  const endRun = (end: number) => {
    const first = end - run.length
    const open = run.slice(0, opened.get(first) ?? 0)
    for (const row of open) shown.push({ kind: 'row', row })
    if (open.length < run.length) shown.push({ kind: 'folded', first, count: run.length - open.length })
    run = []
  }
  for (const [index, row] of rows.entries()) {
    if (row.change === undefined) run.push(row)
    else {
      endRun(index)
      shown.push({ kind: 'row', row })
    }
  }
  endRun(rows.length)
  return shown
}

/** The changes outside tables. */
export function changesBeside(
  changes: readonly ChangedPlace[],
  tables: readonly ChangedTable[],
): readonly ChangedPlace[] {
  return changes.filter(({ path }) => !tables.some((table) => path.startsWith(`${table.path}/rows/`)))
}
