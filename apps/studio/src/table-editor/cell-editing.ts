import type { Row } from '@engine/authoring'
import { type RefObject, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { cellText, type GridColumn, readCells, withCells } from './rows.ts'
import { cellAt, type Selection } from './selection.ts'

/** Changes the rows, as one undo entry. */
export type ChangeRows = (label: string, change: (rows: readonly Row[]) => readonly Row[]) => void

/** The cell that is being edited. */
interface Edited {
  readonly row: number
  readonly column: number
  readonly text: string
}

export interface GridPlace {
  readonly box: RefObject<HTMLDivElement | null>
  readonly columns: readonly GridColumn[]
  readonly rows: readonly Row[]
  readonly change: ChangeRows | undefined
  readonly selection: Selection
  readonly select: (selection: Selection) => void
  /** Selects a cell and scrolls to it. */
  readonly go: (selection: Selection) => void
  /** Pixels. */
  readonly height: number
}

/** Editing of one cell of a grid at a time. */
export function useCellEditing({ box, columns, rows, change, selection, go }: GridPlace) {
  const { table } = useTexts()
  const [edited, setEdited] = useState<Edited>()
  // The input also commits when the grid takes the focus, before the page renders without it.
  const isOpen = useRef(false)
  const begin = (text?: string) => {
    const [row, column] = [rows[selection.row], columns[selection.column]]
    if (change === undefined || row === undefined || column === undefined) return
    isOpen.current = true
    setEdited({ row: selection.row, column: selection.column, text: text ?? cellText(row, column) })
  }
  const commit = (down: number, across: number) => {
    if (edited === undefined || !isOpen.current) return
    isOpen.current = false
    setEdited(undefined)
    const { row, column, text } = edited
    const [old, of] = [rows[row], columns[column]]
    if (old !== undefined && of !== undefined && cellText(old, of) !== text)
      change?.(table.editCell, (all) => withCells(all, columns, { row, column }, readCells([[text]], columns, column)))
    box.current?.focus()
    go(cellAt(within(row + down, rows.length), within(column + across, columns.length)))
  }
  const cancel = () => {
    isOpen.current = false
    setEdited(undefined)
    box.current?.focus()
  }
  const type = (text: string) => setEdited((old) => old && { ...old, text })
  return { edited, begin, commit, cancel, type }
}

const within = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
