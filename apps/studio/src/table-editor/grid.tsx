import type { Row } from '@engine/authoring'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { type ChangeRows, useCellEditing } from './cell-editing.ts'
import { CellInput } from './cell-input.tsx'
import { type HeadActions, Header } from './grid-header.tsx'
import { type GridCommands, useGridEdits, useGridKeys } from './grid-keys.ts'
import { useGridPointer } from './grid-pointer.ts'
import {
  cellId,
  GridRow,
  NUMBER_WIDTH,
  ROW_HEIGHT,
  type RowMark,
  type RowSide,
  SEEN_WIDTH,
  type SeenHead,
} from './grid-row.tsx'
import { columnsIn, HEAD, leftEdges, rowsIn, scrollTo, useView } from './grid-view.ts'
import { type Notation } from '../ui/notation.ts'
import { type CellFormWords, editText } from './cell-display.ts'
import type { CellType } from './cell-type.ts'
import { cellText, type GridColumn, isCellColumn } from './rows.ts'
import { bottomOf, leftOf, rightOf, type Selection, topOf } from './selection.ts'

export interface GridProps extends GridCommands {
  readonly name: string
  readonly columns: readonly GridColumn[]
  /** The visible rows. */
  readonly rows: readonly Row[]
  /** Their indexes in the table; undefined if all rows are shown in order. */
  readonly indexes?: readonly number[] | undefined
  /** Undefined: read-only. */
  readonly change: ChangeRows | undefined
  /** Indexes of the matching rows. */
  readonly hits: ReadonlySet<number>
  /** Number of saved cases by index of the row that they reached; undefined if hidden. */
  readonly cases: readonly number[] | undefined
  /** Number of decisions by index of the row that they took; undefined if hidden. */
  readonly seen?: (SeenHead & { readonly counts: readonly number[] }) | undefined
  /** Ids of columns with a problem by row index, comma-separated. */
  readonly faults: ReadonlyMap<number, string>
  /** Findings by row index. */
  readonly marks?: ReadonlyMap<number, RowMark>
  /** Comparison of each row with that of another save. */
  readonly sides?: readonly RowSide[]
  /** A row to scroll to when it changes. */
  readonly shown?: number
  readonly selection: Selection
  readonly select: (selection: Selection) => void
  readonly notation?: Notation
  readonly isField?: (word: string) => boolean
  readonly head?: HeadActions | undefined
  readonly sorted?: { readonly column: string; readonly isDown: boolean } | undefined
  /** Shown below the active cell. */
  readonly note?: ReactNode
}

const NEW_ROW: Row = { id: '', cells: {} }
const NO_MARKS: ReadonlyMap<number, RowMark> = new Map()

/** A spreadsheet for the rows of a decision table: it renders only visible rows and columns. */
export function Grid(props: GridProps) {
  const { name, columns, rows, indexes, change, hits, seen, shown } = props
  const { selection, select, notation = 'words', isField, head, sorted, note } = props
  const { table, tableEditor, cellForms } = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const view = useView(box)
  const lefts = useMemo(() => leftEdges(columns), [columns])
  const width = (lefts.at(-1) ?? NUMBER_WIDTH) + (seen === undefined ? 0 : SEEN_WIDTH)
  const go = (next: Selection) => {
    select(next)
    scrollTo(box.current, next.toRow, lefts[next.toColumn] ?? 0, columns[next.toColumn]?.width ?? 0)
  }
  const place = { box, columns, rows, change, selection, select, go, height: view.height, notation, isField }
  const editing = useCellEditing(place)
  const keys = useGridKeys(place, editing, props)
  const { edited } = editing
  const { fill, moveRows } = useGridEdits(place, keys.say)
  const pointer = useGridPointer({
    selection,
    select,
    columns: columns.length,
    commit: () => edited !== undefined && editing.commit(0, 0),
    edits: change && { fill, moveRows: indexes === undefined ? moveRows : undefined },
  })
  const [hit = shown] = hits
  useEffect(() => {
    if (hit === undefined || box.current === null) return
    box.current.scrollTop = Math.max(0, hit * ROW_HEIGHT - box.current.clientHeight / 2)
  }, [hit])
  const { from, to } = columnsIn(view, columns, lefts)
  const before = (lefts[from] ?? NUMBER_WIDTH) - NUMBER_WIDTH
  const editedColumn = edited === undefined ? undefined : columns[edited.column]
  const options = useMemo(() => valuesOf(rows, editedColumn, cellForms), [rows, editedColumn, cellForms])
  return (
    <>
      <div
        ref={box}
        className="grid"
        role="grid"
        tabIndex={0}
        aria-label={name}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1 + (seen === undefined ? 0 : 1)}
        aria-multiselectable="true"
        aria-readonly={change === undefined || undefined}
        aria-activedescendant={
          edited === undefined && rows.length > 0 ? cellId(selection.row, selection.column) : undefined
        }
        onKeyDown={keys.onKey}
        onCopy={keys.onCopy}
        onCut={keys.onCopy}
        onPaste={keys.onPaste}
        {...pointer.handlers}
        onDoubleClick={() => editing.begin()}
      >
        <Header
          columns={columns}
          from={from}
          to={to}
          before={before}
          width={width}
          head={head}
          seen={seen}
          sorted={sorted}
        />
        <Rows {...props} view={view} from={from} to={to} before={before} width={width} lefts={lefts}>
          {change !== undefined && edited === undefined && rows.length > 0 && (
            <Handles pointer={pointer} selection={selection} lefts={lefts} width={width} />
          )}
        </Rows>
      </div>
      {edited !== undefined && (
        <CellInput
          label={table.cell(editedColumn?.title ?? '', (indexes?.[edited.row] ?? edited.row) + 1)}
          text={edited.text}
          help={helpOf(editedColumn, tableEditor.help)}
          options={options}
          style={{
            top: HEAD + edited.row * ROW_HEIGHT - (box.current?.scrollTop ?? 0) - 1,
            insetInlineStart: (lefts[edited.column] ?? 0) - (box.current?.scrollLeft ?? 0) - 1,
            width: Math.max((editedColumn?.width ?? 0) + 2, Math.min(420, edited.text.length * 8 + 30)),
          }}
          change={editing.type}
          commit={editing.commit}
          cancel={editing.cancel}
        />
      )}
      {note !== undefined && edited === undefined && (
        <CellNote box={box.current} selection={selection} left={lefts[selection.column] ?? 0}>
          {note}
        </CellNote>
      )}
      <div className="vh" aria-live="polite">
        {keys.said}
      </div>
    </>
  )
}

interface RowsProps extends GridProps {
  readonly view: ReturnType<typeof useView>
  readonly from: number
  readonly to: number
  readonly before: number
  readonly width: number
  readonly lefts: readonly number[]
  /** Shown over the rows. */
  readonly children: ReactNode
}

/** The visible rows at their positions. */
function Rows(props: RowsProps) {
  const { columns, rows, indexes, change, hits, cases, seen, faults, marks = NO_MARKS, sides, selection } = props
  const { notation = 'words', view, from, to, before, width, children } = props
  const [top, bottom, left, right] = [topOf(selection), bottomOf(selection), leftOf(selection), rightOf(selection)]
  const most = useMemo(() => seen?.counts.reduce((one, other) => Math.max(one, other), 0) ?? 0, [seen])
  // The selection may be in the row that the next edit will create.
  const count = Math.max(rows.length, change === undefined ? 0 : selection.row + 1)
  return (
    <div role="rowgroup" className="rows" style={{ height: count * ROW_HEIGHT, width }}>
      {rowsIn(view, count).map((index, slot) => {
        const row = index === undefined ? undefined : (rows[index] ?? NEW_ROW)
        if (index === undefined || row === undefined) return null
        const isIn = index >= top && index <= bottom
        const own = index < rows.length ? (indexes?.[index] ?? index) : (indexes?.length ?? rows.length)
        return (
          <GridRow
            key={slot}
            row={row}
            index={index}
            number={own + 1}
            columns={columns}
            from={from}
            to={to}
            before={before}
            width={width}
            active={selection.row === index ? selection.column : -1}
            left={isIn ? left : -1}
            right={isIn ? right : -2}
            isHit={hits.has(own)}
            cases={cases?.[own]}
            seen={seen && seenOf(seen.counts[own] ?? 0, most)}
            faults={faults.get(own) ?? ''}
            mark={marks.get(own)}
            side={sides?.[own]}
            notation={notation}
            isMovable={change !== undefined && indexes === undefined}
          />
        )
      })}
      {children}
    </div>
  )
}

interface HandlesProps {
  readonly pointer: ReturnType<typeof useGridPointer>
  readonly selection: Selection
  readonly lefts: readonly number[]
  readonly width: number
}

/** The fill handle, and the drop positions of dragged rows and of the handle. */
function Handles({ pointer: { drop, fillTo }, selection, lefts, width }: HandlesProps) {
  const { tableEditor } = useTexts()
  const [top, left] = [topOf(selection), lefts[leftOf(selection)] ?? 0]
  const right = lefts[rightOf(selection) + 1] ?? 0
  return (
    <>
      {drop !== undefined && (
        <div className="drop-line" aria-hidden="true" style={{ top: drop * ROW_HEIGHT - 1, width }} />
      )}
      <span
        className="fill-handle"
        aria-hidden="true"
        title={tableEditor.fillHandle}
        style={{ top: (bottomOf(selection) + 1) * ROW_HEIGHT - 5, insetInlineStart: right - 5 }}
      />
      {fillTo !== undefined && (
        <div
          className="fill-range"
          aria-hidden="true"
          style={{
            top: top * ROW_HEIGHT,
            height: (fillTo - top + 1) * ROW_HEIGHT,
            insetInlineStart: left,
            width: right - left,
          }}
        />
      )}
    </>
  )
}

interface CellNoteProps {
  readonly box: HTMLElement | null
  readonly selection: Selection
  /** Distance in pixels from the left edge of the rows. */
  readonly left: number
  readonly children: ReactNode
}

/** A note below the active cell. */
function CellNote({ box, selection, left, children }: CellNoteProps) {
  const style = {
    top: HEAD + (selection.row + 1) * ROW_HEIGHT - (box?.scrollTop ?? 0) + 2,
    insetInlineStart: Math.max(0, left - (box?.scrollLeft ?? 0)),
  }
  return (
    <div className="cell-note" style={style}>
      {children}
    </div>
  )
}

/** Interned counts: equal objects keep rows from rendering again. */
const kept = new Map<string, { readonly count: number; readonly most: number }>()

function seenOf(count: number, most: number) {
  if (kept.size > 10_000) kept.clear()
  return kept.getOrInsertComputed(`${count} ${most}`, () => ({ count, most }))
}

/** Maximum number of suggested values of a column, and of rows scanned for them. */
const [MAX_OPTIONS, MAX_ROWS] = [30, 500] as const

/** The distinct values of a column as text. */
function valuesOf(rows: readonly Row[], column: GridColumn | undefined, words: CellFormWords): readonly string[] {
  if (column === undefined || !isCellColumn(column) || column.type === 'expression') return []
  const found = new Set<string>()
  for (const row of rows.slice(0, MAX_ROWS)) {
    const text = editText(cellText(row, column), column, words)
    if (text !== '') found.add(text)
    if (found.size === MAX_OPTIONS) break
  }
  return [...found]
}

type HelpTexts = Readonly<Record<'input' | 'output', Readonly<Record<CellType, string>>>>

const helpOf = (column: GridColumn | undefined, texts: HelpTexts): string | undefined =>
  column === undefined || !isCellColumn(column) || column.type === undefined
    ? undefined
    : texts[column.kind][column.type]
