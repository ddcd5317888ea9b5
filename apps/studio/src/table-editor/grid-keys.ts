import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { GridPlace, useCellEditing } from './cell-editing.ts'
import { type Cells, cellsHtml, cellsText, parseCells, spreadsheetCells } from './clipboard.ts'
import { ROW_HEIGHT } from './grid-row.tsx'
import { HEAD } from './grid-view.ts'
import { cellText, emptyRow, movedRows, readCells, rowsMovedTo, withCells } from './rows.ts'
import { bottomOf, cellAt, leftOf, movedTo, rightOf, type Selection, topOf } from './selection.ts'

/** Commands of a grid that its parent handles. */
export interface GridCommands {
  /** Handles pasted cells at a position; if it returns false, the grid writes them. */
  readonly paste?: ((cells: Cells, at: { readonly row: number; readonly column: number }) => boolean) | undefined
  readonly find?: (() => void) | undefined
  readonly moveColumn?: ((column: string, way: 1 | -1) => void) | undefined
}

/** Keyboard shortcuts and clipboard of a spreadsheet, while no cell is being edited. */
export function useGridKeys(
  place: GridPlace,
  { edited, begin }: ReturnType<typeof useCellEditing>,
  { paste, find, moveColumn }: GridCommands,
) {
  const { table } = useTexts()
  const { columns, rows, change, selection, select, go, height, isField } = place
  const [said, setSaid] = useState('')
  const [top, bottom, left, right] = [topOf(selection), bottomOf(selection), leftOf(selection), rightOf(selection)]
  const put = (label: string, cells: Cells) =>
    change?.(label, (old) => withCells(old, columns, { row: top, column: left }, cells))
  const selected = (): Cells =>
    rows.slice(top, bottom + 1).map((row) => columns.slice(left, right + 1).map((column) => cellText(row, column)))
  const filled = (texts: readonly string[]): Cells => Array.from({ length: bottom - top + 1 }, () => texts)
  const letters: Readonly<Record<string, () => void>> = {
    a: () => select({ row: 0, column: 0, toRow: rows.length - 1, toColumn: columns.length - 1 }),
    d: () => put(table.fill, filled(selected()[0] ?? [])),
    ...(find !== undefined && { f: find }),
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
    const column = columns[selection.column]
    const isSide = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
    if (event.altKey && isSide && moveColumn !== undefined && column !== undefined) {
      event.preventDefault()
      moveColumn(column.id, event.key === 'ArrowLeft' ? -1 : 1)
      return
    }
    const page = Math.max(1, Math.floor((height - HEAD) / ROW_HEIGHT) - 1)
    const next = movedTo(event, selection, { rows: rows.length, columns: columns.length, page })
    const act = next !== undefined ? () => go(next) : isCommand ? letters[event.key.toLowerCase()] : plainKey(event)
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const plainKey = ({ key, altKey }: KeyboardEvent): (() => void) | undefined => {
    if (key === 'Enter' || key === 'F2') return () => begin()
    if ((key === 'Delete' || key === 'Backspace') && rows[top] !== undefined)
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
    const copied = spreadsheetCells(cells)
    event.clipboardData.setData('text/plain', cellsText(copied))
    event.clipboardData.setData('text/html', cellsHtml(copied))
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
    // A single cell pasted into a range fills the range.
    const isOne = pasted.length === 1 && first.length === 1
    if (!isOne && paste?.(pasted, { row: top, column: left }) === true) return
    const cells = isOne ? filled(columns.slice(left, right + 1).map(() => first[0] ?? '')) : pasted
    const across = cells[0]?.length ?? 1
    put(table.paste(cells.length, across), readCells(cells, columns, left, isField))
    select({
      row: top,
      column: left,
      toRow: top + cells.length - 1,
      toColumn: Math.min(columns.length - 1, left + across - 1),
    })
    setSaid(table.pasted(cells.length, across))
  }
  return { said, onKey, onCopy, onPaste, say: setSaid }
}

/** Edits by pointer: filling down and moving rows, each as one undo entry. */
export function useGridEdits({ columns, rows, change, select, go }: GridPlace, say: (text: string) => void) {
  const { table } = useTexts()
  /** Repeats a range down to a row, as one edit. */
  const fill = (from: Selection, toRow: number) => {
    const [first, last, start, end] = [topOf(from), bottomOf(from), leftOf(from), rightOf(from)]
    const pattern = rows
      .slice(first, last + 1)
      .map((row) => columns.slice(start, end + 1).map((column) => cellText(row, column)))
    if (pattern.length === 0) return
    const cells = Array.from({ length: toRow - last }, (_, at) => pattern[at % pattern.length] ?? [])
    change?.(table.fill, (old) => withCells(old, columns, { row: last + 1, column: start }, cells))
    select({ row: first, column: start, toRow, toColumn: end })
  }
  /** Moves rows before another one, as one edit. */
  const moveRows = (first: number, last: number, before: number) => {
    change?.(table.moveRows, (all) => rowsMovedTo(all, first, last, before))
    const at = before > last ? before - (last - first + 1) : before
    go({ row: at, column: 0, toRow: at + last - first, toColumn: columns.length - 1 })
    say(table.movedTo(at + 1))
  }
  return { fill, moveRows }
}
