import type { Row } from '@engine/authoring'
import { memo, type ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { cellParts } from './cell-display.ts'
import type { Notation } from '../ui/notation.ts'
import { cellText, type GridColumn, isCellColumn, mayOverflow } from './rows.ts'

export const ROW_HEIGHT = 30
export const NUMBER_WIDTH = 56
/** Width of the column with decision counts. */
export const SEEN_WIDTH = 104
/** The environment that counts the decisions of a row, and their total. */
export interface SeenHead {
  readonly title: string
  readonly note: string
}

/** A row in a comparison with another save. */
export interface RowSide {
  /** Its row number; undefined if this side lacks the row. */
  readonly number: number | undefined
  readonly change: 'added' | 'removed' | 'absent' | undefined
  /** Ids of columns whose cells differ, comma-separated. */
  readonly cells: string
}

/** A finding of the analysis about a row. */
export interface RowMark {
  readonly kind: 'never' | 'fails' | 'also'
  readonly title: string
}

const MARK_ICONS: Readonly<Record<RowMark['kind'], IconName>> = { never: 'hidden', fails: 'alert', also: 'layers' }

interface GridRowProps {
  readonly row: Row
  /** Index among the visible rows. */
  readonly index: number
  /** Number in the table, from 1. */
  readonly number: number
  readonly columns: readonly GridColumn[]
  /** The first rendered column; a spacer replaces the columns before it. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
  /** Index of the active column; -1 if it is in another row. */
  readonly active: number
  readonly left: number
  readonly right: number
  readonly isHit: boolean
  /** Number of saved cases that reached the row; undefined if hidden. */
  readonly cases: number | undefined
  /** Number of decisions that took the row, and the highest number of any row; undefined if hidden. */
  readonly seen: { readonly count: number; readonly most: number } | undefined
  /** Ids of columns with a problem, comma-separated. */
  readonly faults: string
  readonly mark: RowMark | undefined
  /** Undefined without a comparison. */
  readonly side: RowSide | undefined
  readonly notation: Notation
  /** Whether rows can be dragged. */
  readonly isMovable: boolean
}

/** Element id of a cell; only the active cell has it. */
export const cellId = (row: number, column: number) => `cell-${row}-${column}`

/** One row, memoized: it renders again only after a change. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, number, columns, from, to, before, width, active, left, right } = props
  const { isHit, cases, seen, faults, mark, side, notation, isMovable } = props
  const { table, tableEditor } = useTexts()
  const changed = new Set(side === undefined || side.cells === '' ? [] : side.cells.split(','))
  const bad = new Set(faults === '' ? [] : faults.split(','))
  return (
    <div
      className="gr"
      role="row"
      aria-rowindex={index + 2}
      data-hit={isHit ? '' : undefined}
      data-change={side?.change}
      data-mark={mark?.kind}
      data-off={row.disabled === true ? '' : undefined}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, width }}
    >
      <div
        className="gc rn"
        role="rowheader"
        aria-colindex={1}
        data-cases={cases === undefined ? undefined : cases > 0 ? 'some' : 'none'}
        data-movable={isMovable ? '' : undefined}
        title={
          mark?.title ??
          (cases !== undefined ? table.cases(cases) : isMovable ? tableEditor.moveRow(number) : undefined)
        }
      >
        {cases !== undefined && <small>{cases}×</small>}
        {mark !== undefined && (
          <span className="row-mark">
            <Icon name={MARK_ICONS[mark.kind]} size={12} />
            <span className="vh">{mark.title}</span>
          </span>
        )}
        {side === undefined ? number : side.number}
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
            data-type={column.kind === 'input' || column.kind === 'output' ? column.type : undefined}
            data-changed={changed.has(column.id) ? '' : undefined}
            data-column={at}
            data-long={mayOverflow(text, column) ? '' : undefined}
            data-active={active === at ? '' : undefined}
            data-in={isIn && active !== at ? '' : undefined}
            style={{ width: column.width }}
          >
            {changed.has(column.id) && <span className="vh">{table.cellChanged}</span>}
            <Content column={column} text={text} isAbsent={side?.change === 'absent'} notation={notation} />
          </div>
        )
      })}
      {seen !== undefined && (
        <div className="gc seen tnum" role="gridcell" aria-colindex={columns.length + 2}>
          <i style={{ width: seen.most === 0 ? 0 : Math.ceil((seen.count / seen.most) * 34) }} />
          {seen.count.toLocaleString('en')}
        </div>
      )}
    </div>
  )
})

interface ContentProps {
  readonly column: GridColumn
  readonly text: string
  readonly isAbsent: boolean
  readonly notation: Notation
}

function Content({ column, text, isAbsent, notation }: ContentProps): ReactNode {
  const { table, cellForms } = useTexts()
  if (text === '') return column.kind === 'input' && !isAbsent ? <span className="any">{table.any}</span> : null
  if (!isCellColumn(column)) return column.kind === 'next' ? (column.names?.get(text) ?? text) : text
  const parts = notation === 'code' ? undefined : cellParts(text, column, cellForms)
  if (parts === undefined) return <Expression text={text} />
  return (
    <span className="cell-words">
      {parts.map((part, at) => (part.isValue ? <b key={at}>{part.text}</b> : part.text))}
    </span>
  )
}
