import type { Row } from '@engine/authoring'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../texts/texts.tsx'
import { type Cells, cellsHtml, cellsText, parseCells } from './clipboard.ts'
import { cellId, GridRow, NUMBER_WIDTH, ROW_HEIGHT } from './grid-row.tsx'
import { cellText, emptyRow, type GridColumn, movedRows, withCells } from './rows.ts'
import { bottomOf, cellAt, leftOf, movedTo, rightOf, type Selection, topOf } from './selection.ts'

const HEAD = 46
/** Rows that are drawn beyond what is seen. */
const OVER = 8

export interface GridProps {
  readonly name: string
  readonly columns: readonly GridColumn[]
  readonly rows: readonly Row[]
  /** Undefined: nothing may be changed. */
  readonly change: ((label: string, change: (rows: readonly Row[]) => readonly Row[]) => void) | undefined
  /** Index of the row that matched. */
  readonly hit: number | undefined
  /** Ids of columns with a problem by the index of the row, by commas. */
  readonly faults: ReadonlyMap<number, string>
  readonly selection: Selection
  readonly select: (selection: Selection) => void
}

/** A spreadsheet for the rows of a decision table: only what is seen is drawn, of rows and of columns. */
export function Grid({ name, columns, rows, change, hit, faults, selection, select }: GridProps) {
  const { table } = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const [edited, setEdited] = useState<{ readonly row: number; readonly column: number; readonly text: string }>()
  const [said, setSaid] = useState('')
  const isDragging = useRef(false)
  const view = useView(box)
  const lefts = useMemo(() => leftEdges(columns), [columns])
  const width = lefts.at(-1) ?? NUMBER_WIDTH
  const [top, bottom, left, right] = [topOf(selection), bottomOf(selection), leftOf(selection), rightOf(selection)]
  const reveal = ({ toRow, toColumn }: Selection) =>
    scrollTo(box.current, toRow, lefts[toColumn] ?? 0, columns[toColumn]?.width ?? 0)
  const go = (next: Selection) => {
    select(next)
    reveal(next)
  }
  const put = (label: string, cells: Cells) =>
    change?.(label, (old) => withCells(old, columns, { row: top, column: left }, cells))
  const selected = (): Cells =>
    rows.slice(top, bottom + 1).map((row) => columns.slice(left, right + 1).map((column) => cellText(row, column)))
  const begin = (text?: string) => {
    const [row, column] = [rows[selection.row], columns[selection.column]]
    if (change === undefined || row === undefined || column === undefined) return
    setEdited({ row: selection.row, column: selection.column, text: text ?? cellText(row, column) })
  }
  const commit = (down: number, across: number) => {
    if (edited === undefined) return
    setEdited(undefined)
    const { row, column, text } = edited
    const [old, of] = [rows[row], columns[column]]
    if (old !== undefined && of !== undefined && cellText(old, of) !== text)
      change?.(table.editCell, (all) => withCells(all, columns, { row, column }, [[text]]))
    box.current?.focus()
    go(
      cellAt(
        Math.max(0, Math.min(rows.length - 1, row + down)),
        Math.max(0, Math.min(columns.length - 1, column + across)),
      ),
    )
  }
  const filled = (texts: readonly string[]): Cells => Array.from({ length: bottom - top + 1 }, () => texts)
  const letters: Readonly<Record<string, () => void>> = {
    a: () => select({ row: 0, column: 0, toRow: rows.length - 1, toColumn: columns.length - 1 }),
    d: () => put(table.fill, filled(selected()[0] ?? [])),
    i: () => {
      change?.(table.insertRow, (all) => [...all.slice(0, bottom + 1), emptyRow(all), ...all.slice(bottom + 1)])
      go(cellAt(bottom + 1, selection.column))
    },
  }
  const onKey = (event: KeyboardEvent) => {
    if (edited !== undefined) return
    const isCommand = event.ctrlKey || event.metaKey
    if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      moveBlock(event.key === 'ArrowUp' ? -1 : 1)
      return
    }
    const page = Math.max(1, Math.floor((view.height - HEAD) / ROW_HEIGHT) - 1)
    const next = movedTo(event, selection, { rows: rows.length, columns: columns.length, page })
    const act = next !== undefined ? () => go(next) : isCommand ? letters[event.key.toLowerCase()] : plainKey(event)
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const plainKey = ({ key, altKey }: KeyboardEvent): (() => void) | undefined => {
    if (key === 'Enter' || key === 'F2') return () => begin()
    if (key === 'Delete' || key === 'Backspace')
      return () => put(table.clear, filled(columns.slice(left, right + 1).map(() => '')))
    if (key === 'Escape' && (top !== bottom || left !== right))
      return () => select(cellAt(selection.row, selection.column))
    return key.length === 1 && !altKey ? () => begin(key) : undefined
  }
  const moveBlock = (way: 1 | -1) => {
    if (change === undefined || top + way < 0 || bottom + way >= rows.length) return
    change(table.moveRows, (all) => movedRows(all, top, bottom, way))
    go({ ...selection, row: selection.row + way, toRow: selection.toRow + way })
    setSaid(table.movedTo(top + way + 1))
  }
  const onCopy = (event: ClipboardEvent) => {
    if (edited !== undefined) return
    event.preventDefault()
    const cells = selected()
    event.clipboardData.setData('text/plain', cellsText(cells))
    event.clipboardData.setData('text/html', cellsHtml(cells))
    setSaid(table.copied(cells.length))
    if (event.type === 'cut')
      put(
        table.cut,
        cells.map((row) => row.map(() => '')),
      )
  }
  const onPaste = (event: ClipboardEvent) => {
    if (edited !== undefined || change === undefined) return
    event.preventDefault()
    const pasted = parseCells(event.clipboardData.getData('text/plain'))
    const [first = []] = pasted
    // One cell into a range fills the range.
    const isOne = pasted.length === 1 && first.length === 1
    const cells = isOne ? filled(columns.slice(left, right + 1).map(() => first[0] ?? '')) : pasted
    const across = cells[0]?.length ?? 1
    put(table.paste(cells.length, across), cells)
    select({
      row: top,
      column: left,
      toRow: top + cells.length - 1,
      toColumn: Math.min(columns.length - 1, left + across - 1),
    })
    setSaid(table.pasted(cells.length, across))
  }
  const onPointerDown = (event: PointerEvent) => {
    const at = cellUnder(event)
    if (at === undefined || event.button !== 0) return
    if (edited !== undefined) commit(0, 0)
    isDragging.current = true
    select(event.shiftKey ? { ...selection, toRow: at.row, toColumn: at.column } : cellAt(at.row, at.column))
  }
  const onPointerMove = (event: PointerEvent) => {
    const at = isDragging.current ? cellUnder(event) : undefined
    if (at !== undefined && (at.row !== selection.toRow || at.column !== selection.toColumn))
      select({ ...selection, toRow: at.row, toColumn: at.column })
  }
  useEffect(() => {
    if (hit === undefined || box.current === null) return
    box.current.scrollTop = Math.max(0, hit * ROW_HEIGHT - box.current.clientHeight / 2)
  }, [hit])
  const firstRow = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - OVER)
  const lastRow = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVER)
  const { from, to } = columnsIn(view, columns, lefts)
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
        onKeyDown={onKey}
        onCopy={onCopy}
        onCut={onCopy}
        onPaste={onPaste}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={() => void (isDragging.current = false)}
        onDoubleClick={() => begin()}
      >
        <div className="gh" role="row" aria-rowindex={1} style={{ width }}>
          <div className="hc rn" role="columnheader" aria-colindex={1}>
            <span className="vh">{table.row}</span>
          </div>
          {columns.map(({ id, kind, title, width: own }, index) => (
            <div
              key={id}
              className="hc"
              role="columnheader"
              aria-colindex={index + 2}
              data-kind={kind}
              style={{ width: own }}
            >
              <b>{title}</b>
              <small>{table.kinds[kind]}</small>
            </div>
          ))}
        </div>
        <div role="rowgroup" className="rows" style={{ height: rows.length * ROW_HEIGHT, width }}>
          {rows.slice(firstRow, lastRow).map((row, offset) => {
            const index = firstRow + offset
            const isIn = index >= top && index <= bottom
            return (
              <GridRow
                key={row.id}
                row={row}
                index={index}
                columns={columns}
                from={from}
                to={to}
                before={(lefts[from] ?? NUMBER_WIDTH) - NUMBER_WIDTH}
                width={width}
                active={selection.row === index ? selection.column : -1}
                left={isIn ? left : -1}
                right={isIn ? right : -2}
                isHit={hit === index}
                faults={faults.get(index) ?? ''}
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
          change={(text) => setEdited({ ...edited, text })}
          commit={commit}
          cancel={() => {
            setEdited(undefined)
            box.current?.focus()
          }}
        />
      )}
      <div className="vh" aria-live="polite">
        {said}
      </div>
    </>
  )
}

interface CellInputProps {
  readonly label: string
  readonly text: string
  readonly style: React.CSSProperties
  readonly change: (text: string) => void
  readonly commit: (down: number, across: number) => void
  readonly cancel: () => void
}

/** The one input, over the active cell. */
function CellInput({ label, text, style, change, commit, cancel }: CellInputProps) {
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation()
    const back = event.shiftKey ? -1 : 1
    if (event.key === 'Escape') cancel()
    else if (event.key === 'Enter') commit(back, 0)
    else if (event.key === 'Tab') commit(0, back)
    else return
    event.preventDefault()
  }
  return (
    <input
      className="cell-input"
      autoFocus
      aria-label={label}
      style={style}
      value={text}
      onChange={({ target }) => change(target.value)}
      onKeyDown={onKey}
      onBlur={() => commit(0, 0)}
    />
  )
}

function useView(box: React.RefObject<HTMLDivElement | null>) {
  const [view, setView] = useState({ top: 0, left: 0, width: 1200, height: 700 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const size = new ResizeObserver(() =>
      setView((old) => ({ ...old, width: element.clientWidth, height: element.clientHeight })),
    )
    size.observe(element)
    // In steps of some rows: not every event of scrolling draws again.
    const onScroll = () =>
      setView((old) => {
        const top = Math.floor(element.scrollTop / (ROW_HEIGHT * 3)) * ROW_HEIGHT * 3
        const left = Math.floor(element.scrollLeft / 100) * 100
        return old.top === top && old.left === left ? old : { ...old, top, left }
      })
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      size.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [box])
  return view
}

/** The left edge of each column, and the right edge of the last one. */
function leftEdges(columns: readonly GridColumn[]): readonly number[] {
  const edges = [NUMBER_WIDTH]
  for (const { width } of columns) edges.push((edges.at(-1) ?? 0) + width)
  return edges
}

function columnsIn(
  view: { readonly left: number; readonly width: number },
  columns: readonly GridColumn[],
  lefts: readonly number[],
) {
  let from = 0
  while (from < columns.length - 1 && (lefts[from + 1] ?? 0) < view.left) from++
  let to = from
  while (to < columns.length && (lefts[to] ?? 0) < view.left + view.width + 200) to++
  return { from, to }
}

function scrollTo(element: HTMLDivElement | null, row: number, left: number, width: number): void {
  if (element === null) return
  const y = row * ROW_HEIGHT
  if (y < element.scrollTop) element.scrollTop = y
  else if (y + ROW_HEIGHT > element.scrollTop + element.clientHeight - HEAD)
    element.scrollTop = y + ROW_HEIGHT - element.clientHeight + HEAD
  if (left - NUMBER_WIDTH < element.scrollLeft) element.scrollLeft = left - NUMBER_WIDTH
  else if (left + width > element.scrollLeft + element.clientWidth)
    element.scrollLeft = left + width - element.clientWidth
}

function cellUnder(event: PointerEvent): { readonly row: number; readonly column: number } | undefined {
  const cell = (event.target as HTMLElement).closest('[data-column]')
  const row = cell?.closest('[aria-rowindex]')
  if (cell === null || row === null || row === undefined) return undefined
  return { row: Number(row.getAttribute('aria-rowindex')) - 2, column: Number(cell.getAttribute('data-column')) }
}
