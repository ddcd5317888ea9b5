import type { Row } from '@engine/authoring'
import { memo } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { cellText, type GridColumn, mayOverflow } from './rows.ts'

export const ROW_HEIGHT = 30
export const NUMBER_WIDTH = 56

/** A row beside that of another save. */
export interface RowSide {
  /** Its own number; undefined: this side has no such row. */
  readonly number: number | undefined
  readonly change: 'added' | 'removed' | 'absent' | undefined
  /** Ids of columns whose cells differ, by commas. */
  readonly cells: string
}

interface GridRowProps {
  readonly row: Row
  readonly index: number
  readonly columns: readonly GridColumn[]
  /** Columns that are drawn, and what stands in the place of those before. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
  /** Active column; -1: in another row. */
  readonly active: number
  readonly left: number
  readonly right: number
  readonly isHit: boolean
  /** Saved cases that came through it; undefined: they are not shown. */
  readonly cases: number | undefined
  /** Ids of columns with a problem, by commas. */
  readonly faults: string
  /** Undefined: it is not compared. */
  readonly side: RowSide | undefined
}

/** Of the active cell: no other one is named by its id. */
export const cellId = (row: number, column: number) => `cell-${row}-${column}`

/** One row at its height; it is drawn again only when something of it changed. */
export const GridRow = memo(function GridRow({
  row,
  index,
  columns,
  from,
  to,
  before,
  width,
  active,
  left,
  right,
  isHit,
  cases,
  faults,
  side,
}: GridRowProps) {
  const { table } = useTexts()
  const changed = new Set(side === undefined || side.cells === '' ? [] : side.cells.split(','))
  const bad = new Set(faults === '' ? [] : faults.split(','))
  return (
    <div
      className="gr"
      role="row"
      aria-rowindex={index + 2}
      data-hit={isHit ? '' : undefined}
      data-change={side?.change}
      data-off={row.disabled === true ? '' : undefined}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, width }}
    >
      <div
        className="gc rn"
        role="rowheader"
        aria-colindex={1}
        data-cases={cases === undefined ? undefined : cases > 0 ? 'some' : 'none'}
        title={cases === undefined ? undefined : table.cases(cases)}
      >
        {cases !== undefined && <small>{cases}×</small>}
        {side === undefined ? index + 1 : side.number}
        {side?.change !== undefined && <span className="vh">{table.rowChanges[side.change]}</span>}
      </div>
      {before > 0 && <div style={{ width: before, flex: 'none' }} />}
      {columns.slice(from, to).map((column, offset) => {
        const at = from + offset
        const text = cellText(row, column)
        const isIn = at >= left && at <= right
        return (
          <div
            key={column.id}
            id={active === at ? cellId(index, at) : undefined}
            className="gc"
            role="gridcell"
            aria-colindex={at + 2}
            aria-selected={isIn}
            aria-invalid={bad.has(column.id) || undefined}
            data-kind={column.kind}
            data-changed={changed.has(column.id) ? '' : undefined}
            data-column={at}
            data-long={mayOverflow(text, column) ? '' : undefined}
            data-active={active === at ? '' : undefined}
            data-in={isIn && active !== at ? '' : undefined}
            style={{ width: column.width }}
          >
            {changed.has(column.id) && <span className="vh">{table.cellChanged}</span>}
            {text === '' ? (
              column.kind === 'input' && side?.change !== 'absent' && <span className="any">{table.any}</span>
            ) : column.kind === 'input' || column.kind === 'output' ? (
              <Expression text={text} />
            ) : (
              text
            )}
          </div>
        )
      })}
    </div>
  )
})
