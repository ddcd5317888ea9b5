import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { GridPlace, useCellEditing } from './cell-editing.ts'
import { type Cells, cellsHtml, cellsText, parseCells, spreadsheetCells } from './clipboard.ts'
import { ROW_HEIGHT } from './grid-row.tsx'
import { HEAD } from './grid-view.ts'
import { cellText, emptyRow, movedRows, readCells, withCells } from './rows.ts'
import { bottomOf, cellAt, leftOf, movedTo, rightOf, topOf } from './selection.ts'

/** Keys and clipboard of a spreadsheet, while no cell is edited. */
export function useGridKeys(place: GridPlace, { edited, begin }: ReturnType<typeof useCellEditing>) {
  const { table } = useTexts()
  const { columns, rows, change, selection, select, go, height } = place
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
    // One cell pasted into a range fills the range.
    const isOne = pasted.length === 1 && first.length === 1
    const cells = isOne ? filled(columns.slice(left, right + 1).map(() => first[0] ?? '')) : pasted
    const across = cells[0]?.length ?? 1
    put(table.paste(cells.length, across), readCells(cells, columns, left))
    select({
      row: top,
      column: left,
      toRow: top + cells.length - 1,
      toColumn: Math.min(columns.length - 1, left + across - 1),
    })
    setSaid(table.pasted(cells.length, across))
  }
  return { said, onKey, onCopy, onPaste }
}
