import type { Row } from '@engine/authoring'
import { type RefObject, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { Notation } from '../ui/notation.ts'
import { afterEdit, begunEdit, type CellEdit, isChanged } from './cell-edit.ts'
import { type GridColumn, readCells, withCells } from './rows.ts'
import type { Selection } from './selection.ts'

/** Changes the rows, as one undo entry. */
export type ChangeRows = (label: string, change: (rows: readonly Row[]) => readonly Row[]) => void

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
  const [edited, setEdited] = useState<CellEdit>()
  // The input also commits when the grid takes the focus, before the page renders without it.
  const isOpen = useRef(false)
  const begin = (text?: string) => {
    const [row, column] = [rows[selection.row], columns[selection.column]]
    if (change === undefined || column === undefined) return
    isOpen.current = true
    setEdited(begunEdit(selection, row, column, notation === 'words' ? cellForms : undefined, text))
  }
  const commit = (down: number, across: number) => {
    if (edited === undefined || !isOpen.current) return
    isOpen.current = false
    setEdited(undefined)
    if (isChanged(edited, rows, columns)) {
      const { row, column, text } = edited
      change?.(table.editCell, (all) =>
        withCells(all, columns, { row, column }, readCells([[text]], columns, column, isField)),
      )
    }
    box.current?.focus()
    const { at, isNewRow } = afterEdit(edited, rows, columns.length, down, across)
    if (isNewRow) select(at)
    else go(at)
  }
  const cancel = () => {
    isOpen.current = false
    setEdited(undefined)
    box.current?.focus()
  }
  const type = (text: string) => setEdited((old) => old && { ...old, text })
  return { edited, begin, commit, cancel, type }
}
