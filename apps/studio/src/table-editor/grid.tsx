import type { Row } from '@engine/authoring'
import { memo, type PointerEvent, useEffect, useMemo, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { CellInput } from './cell-input.tsx'
import { useGridKeys } from './grid-keys.ts'
import { type ChangeRows, useCellEditing } from './cell-editing.ts'
import { cellId, GridRow, NUMBER_WIDTH, ROW_HEIGHT, type RowSide } from './grid-row.tsx'
import { cellUnder, columnsIn, HEAD, leftEdges, rowsIn, scrollTo, useView } from './grid-view.ts'
import type { GridColumn } from './rows.ts'
import { bottomOf, cellAt, leftOf, rightOf, type Selection, topOf } from './selection.ts'

export interface GridProps {
  readonly name: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly Row[]
  /** Undefined: read-only. */
  readonly change: ChangeRows | undefined
  /** Indexes of the rows that matched. */
  readonly hits: ReadonlySet<number>
  /** Numbers of saved cases by the index of the row that they reached; undefined: hidden. */
  readonly cases: readonly number[] | undefined
  /** Ids of columns with a problem by the index of the row, comma-separated. */
  readonly faults: ReadonlyMap<number, string>
  /** Comparison of each row with that of another save. */
  readonly sides?: readonly RowSide[]
  /** A row to scroll to when it changes. */
  readonly shown?: number
  readonly selection: Selection
  readonly select: (selection: Selection) => void
}

/** A spreadsheet for the rows of a decision table: it renders only visible rows and columns. */
export function Grid(props: GridProps) {
  const { name, columns, rows, change, hits, cases, faults, sides, shown, selection, select } = props
  const { table } = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const view = useView(box)
  const lefts = useMemo(() => leftEdges(columns), [columns])
  const width = lefts.at(-1) ?? NUMBER_WIDTH
  const [top, bottom, left, right] = [topOf(selection), bottomOf(selection), leftOf(selection), rightOf(selection)]
  const go = (next: Selection) => {
    select(next)
    scrollTo(box.current, next.toRow, lefts[next.toColumn] ?? 0, columns[next.toColumn]?.width ?? 0)
  }
  const place = { box, columns, rows, change, selection, select, go, height: view.height }
  const editing = useCellEditing(place)
  const keys = useGridKeys(place, editing)
  const { edited } = editing
  const pointer = usePointer(selection, select, () => edited !== undefined && editing.commit(0, 0))
  const [hit = shown] = hits
  useEffect(() => {
    if (hit === undefined || box.current === null) return
    box.current.scrollTop = Math.max(0, hit * ROW_HEIGHT - box.current.clientHeight / 2)
  }, [hit])
  const { from, to } = columnsIn(view, columns, lefts)
  const before = (lefts[from] ?? NUMBER_WIDTH) - NUMBER_WIDTH
  return (
    <>
      <div
        ref={box}
        className="grid"
        role="grid"
        tabIndex={0}
        aria-label={name}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-readonly={change === undefined || undefined}
        aria-activedescendant={
          edited === undefined && rows.length > 0 ? cellId(selection.row, selection.column) : undefined
        }
        onKeyDown={keys.onKey}
        onCopy={keys.onCopy}
        onCut={keys.onCopy}
        onPaste={keys.onPaste}
        {...pointer}
        onDoubleClick={() => editing.begin()}
      >
        <Header columns={columns} from={from} to={to} before={before} width={width} />
        <div role="rowgroup" className="rows" style={{ height: rows.length * ROW_HEIGHT, width }}>
          {rowsIn(view, rows.length).map((index, slot) => {
            const row = index === undefined ? undefined : rows[index]
            if (index === undefined || row === undefined) return null
            const isIn = index >= top && index <= bottom
            return (
              <GridRow
                key={slot}
                row={row}
                index={index}
                columns={columns}
                from={from}
                to={to}
                before={before}
                width={width}
                active={selection.row === index ? selection.column : -1}
                left={isIn ? left : -1}
                right={isIn ? right : -2}
                isHit={hits.has(index)}
                cases={cases?.[index]}
                faults={faults.get(index) ?? ''}
                side={sides?.[index]}
              />
            )
          })}
        </div>
      </div>
      {edited !== undefined && (
        <CellInput
          label={table.cell(columns[edited.column]?.title ?? '', edited.row + 1)}
          text={edited.text}
          style={{
            top: HEAD + edited.row * ROW_HEIGHT - (box.current?.scrollTop ?? 0) - 1,
            insetInlineStart: (lefts[edited.column] ?? 0) - (box.current?.scrollLeft ?? 0) - 1,
            width: Math.max((columns[edited.column]?.width ?? 0) + 2, Math.min(420, edited.text.length * 8 + 30)),
          }}
          change={editing.type}
          commit={editing.commit}
          cancel={editing.cancel}
        />
      )}
      <div className="vh" aria-live="polite">
        {keys.said}
      </div>
    </>
  )
}

/** A click selects a cell, a drag selects a range. */
function usePointer(selection: Selection, select: (selection: Selection) => void, commit: () => void) {
  const isDragging = useRef(false)
  return {
    onPointerDown(event: PointerEvent) {
      const at = cellUnder(event)
      if (at === undefined || event.button !== 0) return
      commit()
      isDragging.current = true
      select(event.shiftKey ? { ...selection, toRow: at.row, toColumn: at.column } : cellAt(at.row, at.column))
    },
    onPointerMove(event: PointerEvent) {
      const at = isDragging.current ? cellUnder(event) : undefined
      if (at !== undefined && (at.row !== selection.toRow || at.column !== selection.toColumn))
        select({ ...selection, toRow: at.row, toColumn: at.column })
    },
    onPointerUp: () => void (isDragging.current = false),
  }
}

interface HeaderProps {
  readonly columns: readonly GridColumn[]
  /** Columns that are rendered, and the space that replaces those before. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
}

const Header = memo(function Header({ columns, from, to, before, width }: HeaderProps) {
  const { table } = useTexts()
  return (
    <div className="gh" role="row" aria-rowindex={1} style={{ width }}>
      <div className="hc rn" role="columnheader" aria-colindex={1}>
        <span className="vh">{table.row}</span>
      </div>
      {before > 0 && <div style={{ width: before, flex: 'none' }} />}
      {columns.slice(from, to).map(({ id, kind, title, width: own }, offset) => (
        <div
          key={id}
          className="hc"
          role="columnheader"
          aria-colindex={from + offset + 2}
          data-kind={kind}
          style={{ width: own }}
        >
          <b>{title}</b>
          <small>{table.kinds[kind]}</small>
        </div>
      ))}
    </div>
  )
})
