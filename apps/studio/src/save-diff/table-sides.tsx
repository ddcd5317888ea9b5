import type { DraftRuleset } from '@engine/authoring'
import { useMemo, useRef, useState } from 'react'
import { Grid } from '../table-editor/grid.tsx'
import { columnsOf } from '../table-editor/rows.ts'
import { cellAt } from '../table-editor/selection.ts'
import { useTexts } from '../texts/texts.tsx'
import { type ComparedTables, compareTables } from './changes.ts'
import type { Side } from './side.ts'

interface TableSidesProps {
  readonly before: Side
  readonly after: Side
  readonly table: string
  readonly compared: ComparedTables
  /** The row that both sides show. */
  readonly row: number
}

const NO_HITS: ReadonlySet<number> = new Set()
const NO_FAULTS: ReadonlyMap<number, string> = new Map()

const tableIn = ({ steps }: DraftRuleset, id: string) =>
  steps.find((step) => step.id === id && step.type === 'table') as
    | Extract<DraftRuleset['steps'][number], { type: 'table' }>
    | undefined

/** The rows of a table in two saves. */
export const useCompared = (before: DraftRuleset | undefined, after: DraftRuleset | undefined, id: string) =>
  useMemo(() => compareTables(before && tableIn(before, id), after && tableIn(after, id)), [before, after, id])

/** A table of two saves, row by row. Both scroll together, and select the same cell. */
export function TableSides({ before, after, table, compared, row }: TableSidesProps) {
  const { history: texts, table: words } = useTexts()
  const place = useRef<HTMLDivElement>(null)
  const [selection, select] = useState(() => cellAt(row, 0))
  const [shown, show] = useState(row)
  // The URL names another row: both sides scroll to it.
  if (shown !== row) {
    show(row)
    select(cellAt(row, 0))
  }
  const step = tableIn(after.draft, table) ?? tableIn(before.draft, table)
  const columns = useMemo(
    () => (step === undefined ? [] : columnsOf({ ...step, columns: compared.columns }, words.kinds)),
    [step, compared, words],
  )
  const follow = (event: { readonly target: EventTarget }) => {
    const from = event.target
    if (!(from instanceof Element)) return
    for (const grid of place.current?.querySelectorAll('.grid') ?? [])
      if (grid !== from && (grid.scrollTop !== from.scrollTop || grid.scrollLeft !== from.scrollLeft))
        grid.scrollTo({ top: from.scrollTop, left: from.scrollLeft, behavior: 'instant' })
  }
  return (
    <div className="compare-sides" ref={place} onScrollCapture={follow}>
      {[[before, compared.before] as const, [after, compared.after] as const].map(([{ name }, { rows, sides }]) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <div className="grid-place">
            <Grid
              name={texts.tableOf(step?.name ?? table, name)}
              columns={columns}
              rows={rows}
              sides={sides}
              shown={row}
              change={undefined}
              hits={NO_HITS}
              cases={undefined}
              faults={NO_FAULTS}
              selection={selection}
              select={select}
            />
          </div>
        </section>
      ))}
    </div>
  )
}
