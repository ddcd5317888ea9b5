import type { Row } from '@engine/authoring'
import { memo } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { cellText, type GridColumn, mayOverflow } from './rows.ts'

export const ROW_HEIGHT = 30
export const NUMBER_WIDTH = 56

/** A row in a comparison with another save. */
export interface RowSide {
  /** Its own number; undefined: this side lacks the row. */
  readonly number: number | undefined
  readonly change: 'added' | 'removed' | 'absent' | undefined
  /** Ids of columns whose cells differ, comma-separated. */
  readonly cells: string
}

interface GridRowProps {
  readonly row: Row
  readonly index: number
  readonly columns: readonly GridColumn[]
  /** Columns that are rendered, and the space that replaces those before. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
  /** Index of the active column; -1: in another row. */
  readonly active: number
  readonly left: number
  readonly right: number
  readonly isHit: boolean
  /** Saved cases that reached it; undefined: hidden. */
  readonly cases: number | undefined
  /** Ids of columns with a problem, comma-separated. */
  readonly faults: string
  /** Undefined: no comparison. */
  readonly side: RowSide | undefined
}

/** Id of the active cell: other cells have none. */
export const cellId = (row: number, column: number) => `cell-${row}-${column}`

/** One row at its height; it renders again only after a change. */
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
