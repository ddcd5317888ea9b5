import type { Row } from '@engine/authoring'
import { type RefObject, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { editText } from './cell-display.ts'
import type { Notation } from '../ui/notation.ts'
import { cellText, type GridColumn, isCellColumn, readCells, withCells } from './rows.ts'
import { cellAt, type Selection } from './selection.ts'

/** Changes the rows, as one undo entry. */
export type ChangeRows = (label: string, change: (rows: readonly Row[]) => readonly Row[]) => void

/** The cell that is being edited. */
interface Edited {
  readonly row: number
  readonly column: number
  readonly text: string
  /** The text that it began with; undefined: typing replaces the cell. */
  readonly initial: string | undefined
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
  readonly notation: Notation
  /** Whether a bare word of a result names a field. */
  readonly isField: ((word: string) => boolean) | undefined
}

/** Editing of one cell of a grid at a time. */
export function useCellEditing({ box, columns, rows, change, selection, select, go, notation, isField }: GridPlace) {
  const { table, cellForms } = useTexts()
  const [edited, setEdited] = useState<Edited>()
  // The input also commits when the grid takes the focus, before the page renders without it.
  const isOpen = useRef(false)
  const begin = (text?: string) => {
    const [row, column] = [rows[selection.row], columns[selection.column]]
    if (change === undefined || column === undefined) return
    isOpen.current = true
    const initial = text === undefined ? (row === undefined ? '' : shownText(row, column)) : undefined
    setEdited({ row: selection.row, column: selection.column, text: text ?? initial ?? '', initial })
  }
  const shownText = (row: Row, column: GridColumn) =>
    isCellColumn(column)
      ? editText(cellText(row, column), column, notation === 'words' ? cellForms : undefined)
      : cellText(row, column)
  const commit = (down: number, across: number) => {
    if (edited === undefined || !isOpen.current) return
    isOpen.current = false
    setEdited(undefined)
    const { row, column, text, initial } = edited
    const [old, target] = [rows[row], columns[column]]
    const before = initial ?? (old === undefined || target === undefined ? '' : cellText(old, target))
    if (target !== undefined && text !== before)
      change?.(table.editCell, (all) =>
        withCells(all, columns, { row, column }, readCells([[text]], columns, column, isField)),
      )
    box.current?.focus()
    // Behind the last row is a new one, which its first cell makes: an empty row would match every input.
    if (down > 0 && row >= rows.length - 1 && (text !== '' || (old !== undefined && hasContent(old)))) {
      select(cellAt(row + 1, column))
      return
    }
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

const hasContent = ({ cells }: Row) => Object.values(cells).some((cell) => cell !== '')

const within = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
