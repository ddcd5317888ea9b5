import type { DraftRuleset, Problem, TableStep } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Grid } from '../../table-editor/grid.tsx'
import { columnsOf } from '../../table-editor/rows.ts'
import { cellAt, type Selection } from '../../table-editor/selection.ts'
import { useTexts } from '../../texts/texts.tsx'
import { withStep } from '../state/edits.ts'
import { type PutTable, TableBar } from './table-bar.tsx'
import type { Apply } from '../state/editing.ts'

interface TableViewProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly problems: readonly Problem[]
  /** Indexes of the rows that matched in the shown execution. */
  readonly hits: ReadonlySet<number>
  /** Saved cases by row; undefined: hidden. */
  readonly cases: readonly number[] | undefined
  /** Undefined: read-only. */
  readonly apply: Apply | undefined
  /** Id of the row in the address. */
  readonly row: string | undefined
  /** Puts the selected row into the address. */
  readonly showRow: (id: string) => void
  readonly showFlow: () => void
}

/** A decision table as a spreadsheet, with its columns and its hit policy. */
export function TableView({ draft, step, problems, hits, cases, apply, row, showRow, showFlow }: TableViewProps) {
  const { table } = useTexts()
  const [selection, select] = useState<Selection>(() => cellAt(0, 0))
  const shown = useRowOfAddress(step, row, showRow, selection, select)
  const columns = useMemo(() => columnsOf(step, table.kinds), [step, table])
  const faults = useMemo(() => faultsOf(problems, step), [problems, step])
  const put: PutTable =
    apply &&
    ((label, change) =>
      apply(label, (old) => {
        const own = old.steps.find(({ id }) => id === step.id)
        return own?.type === 'table' ? withStep(old, change(own)) : old
      }))
  return (
    <div className="table-view">
      <TableBar
        draft={draft}
        step={step}
        columns={columns}
        selection={selection}
        put={put}
        apply={apply}
        showFlow={showFlow}
      />
      <div className="grid-place">
        <Grid
          name={table.name(step.name ?? step.id)}
          columns={columns}
          rows={step.rows}
          change={put && ((label, change) => put(label, (old) => ({ ...old, rows: change(old.rows) })))}
          hits={hits}
          cases={cases}
          faults={faults}
          {...(shown !== undefined && { shown })}
          selection={selection}
          select={select}
        />
      </div>
      <div className="row foot">
        <span className="tnum">{table.rowCount(step.rows.length)}</span>
        <span>{table.help}</span>
      </div>
    </div>
  )
}

/** Milliseconds that a row must stay selected before the address names it: keys pass many. */
const SETTLED_MS = 400

/** Keeps the selected row and the address in step. Returns the row to scroll to. */
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
    // The initial row of a table is named only after another one was.
    if (selected === first.current && known.current === undefined) return
    const timer = setTimeout(() => {
      const id = latest.current.rows[selected]?.id
      if (id === undefined || id === known.current) return
      known.current = id
      latest.current.showRow(id)
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [selected])
  return shown
}

/** Columns with a problem by the index of the row, from the places of problems in the draft. */
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
