import type { Row } from '@engine/authoring'
import { type CellFormWords, editText } from './cell-display.ts'
import { cellText, type GridColumn, isCellColumn } from './rows.ts'
import { cellAt, type Selection } from './selection.ts'

/** The edit of a cell. */
export interface CellEdit {
  readonly row: number
  readonly column: number
  readonly text: string
  /** The text that it began with; undefined: typing replaces the cell. */
  readonly initial: string | undefined
}

/**
 * The edit that begins in a cell.
 *
 * @param row undefined behind the last one
 * @param words undefined: the cell is shown as code
 * @param typed the first character, which replaces the cell
 */
export function begunEdit(
  at: Pick<Selection, 'row' | 'column'>,
  row: Row | undefined,
  column: GridColumn,
  words: CellFormWords | undefined,
  typed: string | undefined,
): CellEdit {
  const place = { row: at.row, column: at.column }
  if (typed !== undefined) return { ...place, text: typed, initial: undefined }
  const cell = row === undefined ? '' : cellText(row, column)
  const initial = isCellColumn(column) ? editText(cell, column, words) : cell
  return { ...place, text: initial, initial }
}

/** Whether an edit changes its cell. */
export function isChanged(
  { row, column, text, initial }: CellEdit,
  rows: readonly Row[],
  columns: readonly GridColumn[],
): boolean {
  const [old, target] = [rows[row], columns[column]]
  if (target === undefined) return false
  return text !== (initial ?? (old === undefined ? '' : cellText(old, target)))
}

/**
 * The cell to which the end of an edit leads.
 *
 * @param down rows from the edited cell
 * @param across columns from it
 */
export function afterEdit(
  { row, column, text }: CellEdit,
  rows: readonly Row[],
  columns: number,
  down: number,
  across: number,
): { readonly at: Selection; readonly isNewRow: boolean } {
  const old = rows[row]
  // Behind the last row is a new one, which its first cell makes: an empty row would match every input.
  if (down > 0 && row >= rows.length - 1 && (text !== '' || (old !== undefined && hasContent(old))))
    return { at: cellAt(row + 1, column), isNewRow: true }
  return { at: cellAt(within(row + down, rows.length), within(column + across, columns)), isNewRow: false }
}

const hasContent = ({ cells }: Row) => Object.values(cells).some((cell) => cell !== '')

const within = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))
