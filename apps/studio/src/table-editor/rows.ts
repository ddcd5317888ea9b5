import type { Column, Row, TableStep } from '@engine/authoring'
import { freshId, idMaker } from '../session/new-draft.ts'
import { type CellType, typeOfColumn } from './cell-type.ts'
import { readCell } from './cell-words.ts'
import type { Cells } from './clipboard.ts'

/** A condition or a result of a table. */
export interface CellColumn {
  readonly id: string
  readonly kind: 'input' | 'output'
  /** The author's label, otherwise the field. */
  readonly title: string
  readonly width: number
  /** The type in which its cells are parsed; undefined: each cell determines its own. */
  readonly type?: CellType | undefined
  readonly unit?: string | undefined
}

export const isCellColumn = (column: GridColumn): column is CellColumn =>
  column.kind === 'input' || column.kind === 'output'

/** A column of the grid: a table column, or the next step or the note of the rows. */
export type GridColumn =
  | CellColumn
  | {
      readonly id: 'next' | 'note'
      readonly kind: 'next' | 'note'
      readonly title: string
      readonly width: number
      /** Step names by id, for the column with the next step. */
      readonly names?: ReadonlyMap<string, string> | undefined
    }

const WIDTH = 138
export const [MIN_WIDTH, MAX_WIDTH] = [64, 800] as const

/** The width of a column in pixels, within the limits. */
export const widthOf = ({ width = WIDTH }: Pick<Column, 'width'>): number =>
  Number.isFinite(width) ? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(width))) : WIDTH

/** The columns of a table; rows of a table with the hit policy *collect* have no next step. */
export function columnsOf(
  { columns, rows, hitPolicy }: Pick<TableStep, 'columns' | 'rows' | 'hitPolicy'>,
  words: { readonly next: string; readonly note: string },
  names?: ReadonlyMap<string, string>,
): readonly GridColumn[] {
  return [
    ...columns.map((column: Column) => {
      const { id, kind, field = '', label, unit } = column
      return {
        id,
        kind,
        title: label === undefined || label === '' ? field : label,
        width: widthOf(column),
        type: typeOfColumn(column, rows),
        unit,
      }
    }),
    ...(hitPolicy === 'collect' ? [] : [{ id: 'next', kind: 'next', title: words.next, width: WIDTH, names } as const]),
    { id: 'note', kind: 'note', title: words.note, width: 220 },
  ]
}

export function cellText(row: Row, { id, kind }: GridColumn): string {
  if (kind === 'next') return row.nextStepId ?? ''
  return (kind === 'note' ? row.note : row.cells[id]) ?? ''
}

/** Horizontal padding of a cell in pixels, and the maximum width of a character, in code and in other text. */
const [PADDING, CODE, ANY] = [21, 7.3, 13] as const

/**
 * Whether the text of a cell may be wider than its column. Only such cells clip their overflow: the browser tracks a
 * clip for each clipping cell, and visits all of them in every frame of scrolling.
 */
export function mayOverflow(text: string, { kind, width }: GridColumn): boolean {
  const isCode = kind !== 'note' && /^[\x20-\x7e]*$/.test(text)
  return text.length * (isCode ? CODE : ANY) > width - PADDING
}

/** The row with a changed cell; an empty text removes it. */
function withCell(row: Row, { id, kind }: GridColumn, text: string): Row {
  if (kind === 'input' || kind === 'output') {
    const { [id]: _old, ...others } = row.cells
    return { ...row, cells: text === '' ? others : { ...others, [id]: text } }
  }
  const name = kind === 'next' ? 'nextStepId' : 'note'
  const { [name]: _old, ...rest } = row
  return text === '' ? rest : { ...rest, [name]: text }
}

export const emptyRow = (rows: readonly Row[]): Row => ({ id: freshId('r', ids(rows)), cells: {} })

function* ids(rows: readonly Row[]) {
  for (const { id } of rows) yield id
}

/**
 * Parses typed cells by the types of their columns: an unquoted word is a text. Next steps and notes are kept.
 *
 * @param column index of the first column
 * @param isField whether an unquoted word in a result names a field
 */
export const readCells = (
  cells: Cells,
  columns: readonly GridColumn[],
  column: number,
  isField?: (word: string) => boolean,
): Cells =>
  cells.map((row) =>
    row.map((text, offset) => {
      const target = columns[column + offset]
      if (target?.kind !== 'input' && target?.kind !== 'output') return text
      return readCell(text, { kind: target.kind, type: target.type, ...(isField !== undefined && { isField }) }).text
    }),
  )

/** Rows with cells pasted at a position; rows are added as needed. Linear in the rows and the cells. */
export function withCells(
  rows: readonly Row[],
  columns: readonly GridColumn[],
  at: { readonly row: number; readonly column: number },
  cells: Cells,
): readonly Row[] {
  const next = [...rows]
  const newId = idMaker('r', ids(rows))
  for (const [down, texts] of cells.entries()) {
    const index = at.row + down
    let row = next[index] ?? { id: newId(), cells: {} }
    for (const [right, text] of texts.entries()) {
      const column = columns[at.column + right]
      if (column !== undefined) row = withCell(row, column, text)
    }
    next[index] = row
  }
  return next
}

/** Rows with a block moved by one position; the same rows if it would leave the table. */
export function movedRows(rows: readonly Row[], first: number, last: number, way: 1 | -1): readonly Row[] {
  if (first + way < 0 || last + way >= rows.length) return rows
  const others = [...rows.slice(0, first), ...rows.slice(last + 1)]
  return [...others.slice(0, first + way), ...rows.slice(first, last + 1), ...others.slice(first + way)]
}

/** Rows with a block moved before the row that is currently at an index. */
export function rowsMovedTo(rows: readonly Row[], first: number, last: number, before: number): readonly Row[] {
  if (before >= first && before <= last + 1) return rows
  const block = rows.slice(first, last + 1)
  const others = [...rows.slice(0, first), ...rows.slice(last + 1)]
  const at = before > last ? before - block.length : before
  return [...others.slice(0, at), ...block, ...others.slice(at)]
}
