import type { DraftRuleset, Problem, Row, TableStep } from '@engine/authoring'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { stepChoice } from '../../graph-editor/step-name.ts'
import type { DraftFinding } from '../../language/tasks.ts'
import { editText } from '../../table-editor/cell-display.ts'
import type { ChangeRows } from '../../table-editor/cell-editing.ts'
import type { Cells } from '../../table-editor/clipboard.ts'
import type { RowMark } from '../../table-editor/grid-row.tsx'
import { useNotation } from '../../ui/notation.ts'
import { needsLook, planPaste } from '../../table-editor/paste-plan.ts'
import { isWhole, type RowView, viewedRows, WHOLE, withViewChange } from '../../table-editor/row-view.ts'
import { columnsOf, isCellColumn } from '../../table-editor/rows.ts'
import { cellAt, type Selection } from '../../table-editor/selection.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Apply } from '../state/editing.ts'
import { withStep } from '../state/edits.ts'
import type { Seen } from '../state/seen.ts'
import type { PutTable } from './table-bar.tsx'

export interface TableViewProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly problems: readonly Problem[]
  /** Indexes of the rows that matched in the shown execution. */
  readonly hits: ReadonlySet<number>
  /** Saved cases by row; undefined: hidden. */
  readonly cases: readonly number[] | undefined
  /** Undefined: read-only. */
  readonly apply: Apply | undefined
  /** Whether an unquoted word in a result cell names a field. */
  readonly isField: (word: string) => boolean
  /** Findings by the index of the row. */
  readonly marks: ReadonlyMap<number, RowMark>
  /** Decisions by row; undefined: hidden. */
  readonly seen: Seen | undefined
  readonly showSeen: (isShown: boolean) => void
  /** Inputs that no row matches. */
  readonly gap: DraftFinding | undefined
  readonly showFindings: () => void
  /** Id of the row in the URL. */
  readonly row: string | undefined
  /** Puts the selected row into the URL. */
  readonly showRow: (id: string) => void
  readonly showFlow: () => void
}

/** Pasted cells that the author reviews before they are written. */
export interface Pasting {
  readonly cells: Cells
  readonly at: { readonly row: number; readonly column: number }
}

/** The state of the open table: its selection, row view, menu and dialogs. */
export function useTable(props: TableViewProps) {
  const { draft, step, problems, apply, isField, row, showRow } = props
  const { table } = useTexts()
  const notation = useNotation()
  const [selection, select] = useState<Selection>(() => cellAt(0, 0))
  const [menu, openMenu] = useState<{ readonly column: string; readonly at: HTMLElement }>()
  const [isFinding, setFinding] = useState(false)
  const [pasting, setPasting] = useState<Pasting>()
  const shown = useRowOfAddress(step, row, showRow, selection, select)
  const names = useMemo(() => new Map(draft.steps.map((one) => [one.id, stepChoice(one)])), [draft.steps])
  const columns = useMemo(() => columnsOf(step, table.kinds, names), [step, table, names])
  const faults = useMemo(() => faultsOf(problems, step), [problems, step])
  const put: PutTable =
    apply &&
    ((label, change) =>
      apply(label, (old) => {
        const own = old.steps.find(({ id }) => id === step.id)
        return own?.type === 'table' ? withStep(old, change(own)) : old
      }))
  const viewed = useViewedRows(step, columns, put)
  const { indexes } = viewed
  /** Returns true if the pasted cells need a review. */
  const takePaste = (cells: Cells, at: Pasting['at']): boolean => {
    const column = columns[at.column]
    if (indexes !== undefined || column === undefined || !isCellColumn(column)) return false
    if (!needsLook(planPaste(cells, step, at.column, {}, isField))) return false
    setPasting({ cells, at })
    return true
  }
  const active = columns[selection.column]
  const activeRow = indexes?.[selection.row] ?? selection.row
  const problem = problems.find(
    ({ path, step_id: id }) =>
      id === step.id && active !== undefined && path.endsWith(`/rows/${activeRow}/cells/${active.id}`),
  )
  return {
    ...viewed,
    notation,
    selection,
    select,
    menu,
    openMenu,
    isFinding,
    setFinding,
    pasting,
    setPasting,
    shown,
    columns,
    faults,
    put,
    takePaste,
    active,
    activeRow,
    problem,
  }
}

export type TableState = ReturnType<typeof useTable>

/** The visible rows, and their changes. */
function useViewedRows(step: TableStep, columns: ReturnType<typeof columnsOf>, put: PutTable) {
  const { cellForms } = useTexts()
  const [view, setView] = useState<RowView>(WHOLE)
  const textIn = useCallback(
    (one: Row, id: string) => {
      const column = columns.find((other) => other.id === id)
      return column !== undefined && isCellColumn(column) ? editText(one.cells[id] ?? '', column, cellForms) : ''
    },
    [columns, cellForms],
  )
  const indexes = useMemo(() => (isWhole(view) ? undefined : viewedRows(step, view, textIn)), [step, view, textIn])
  const rows = useMemo(() => indexes?.flatMap((index) => step.rows[index] ?? []) ?? step.rows, [indexes, step])
  const change: ChangeRows | undefined =
    put &&
    ((label, by) =>
      put(label, (old) => ({
        ...old,
        rows: indexes === undefined ? by(old.rows) : withViewChange(old.rows, indexes, by),
      })))
  return { view, setView, indexes, rows, change }
}

/** Time that a row must stay selected before it is put into the URL, since keyboard navigation passes many rows. */
const SETTLE_DELAY_MS = 400

/** Synchronizes the selected row with the URL. Returns the row to scroll to. */
function useRowOfAddress(
  { rows }: TableStep,
  row: string | undefined,
  showRow: (id: string) => void,
  selection: Selection,
  select: (selection: Selection) => void,
): number | undefined {
  const [shown, show] = useState<number>()
  const known = useRef<string>(undefined)
  const latest = useRef({ rows, showRow })
  latest.current = { rows, showRow }
  useEffect(() => {
    if (row === undefined || row === known.current) return
    known.current = row
    const index = latest.current.rows.findIndex(({ id }) => id === row)
    if (index < 0) return
    select(cellAt(index, 0))
    show(index)
  }, [row, select])
  const { row: selected } = selection
  const first = useRef(selected)
  useEffect(() => {
    // The initial row of a table is put into the URL only after another row was.
    if (selected === first.current && known.current === undefined) return
    const timer = setTimeout(() => {
      const id = latest.current.rows[selected]?.id
      if (id === undefined || id === known.current) return
      known.current = id
      latest.current.showRow(id)
    }, SETTLE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [selected])
  return shown
}

/** Columns with a problem by row index, from the JSON pointers of the draft's problems. */
function faultsOf(problems: readonly Problem[], step: TableStep): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const { path, step_id: id } of problems) {
    const [, row, column] = /\/rows\/(\d+)(?:\/cells\/([^/]+))?/.exec(path) ?? []
    if (id !== step.id || row === undefined) continue
    const index = Number(row)
    found.set(index, [found.get(index), column].filter((one) => one !== undefined).join())
  }
  return found
}
