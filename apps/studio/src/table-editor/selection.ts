/** A rectangle of cells between two corners; the first corner is the active cell. */
export interface Selection {
  readonly row: number
  readonly column: number
  readonly toRow: number
  readonly toColumn: number
}

export const cellAt = (row: number, column: number): Selection => ({ row, column, toRow: row, toColumn: column })

export const topOf = ({ row, toRow }: Selection) => Math.min(row, toRow)
export const bottomOf = ({ row, toRow }: Selection) => Math.max(row, toRow)
export const leftOf = ({ column, toColumn }: Selection) => Math.min(column, toColumn)
export const rightOf = ({ column, toColumn }: Selection) => Math.max(column, toColumn)

/** The target cell of a spreadsheet navigation key; undefined for other keys. */
export function movedTo(
  event: { readonly key: string; readonly ctrlKey: boolean; readonly metaKey: boolean; readonly shiftKey: boolean },
  selection: Selection,
  size: { readonly rows: number; readonly columns: number; readonly page: number },
): Selection | undefined {
  const isFar = event.ctrlKey || event.metaKey
  const isTab = event.key === 'Tab'
  const isExtended = event.shiftKey && !isTab
  const row = isExtended ? selection.toRow : selection.row
  const column = isExtended ? selection.toColumn : selection.column
  const to = target(event.key, row, column, isFar, event.shiftKey, size)
  if (to === undefined) return undefined
  // At the edges of the grid, Tab leaves it.
  if (isTab && (to[1] < 0 || to[1] >= size.columns)) return undefined
  const toRow = Math.max(0, Math.min(size.rows - 1, to[0]))
  const toColumn = Math.max(0, Math.min(size.columns - 1, to[1]))
  return isExtended ? { ...selection, toRow, toColumn } : cellAt(toRow, toColumn)
}

function target(
  key: string,
  row: number,
  column: number,
  isFar: boolean,
  isBack: boolean,
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): readonly [number, number] | undefined {
  switch (key) {
    case 'ArrowDown':
      return [isFar ? rows - 1 : row + 1, column]
    case 'ArrowUp':
      return [isFar ? 0 : row - 1, column]
    case 'ArrowRight':
      return [row, isFar ? columns - 1 : column + 1]
    case 'ArrowLeft':
      return [row, isFar ? 0 : column - 1]
    case 'PageDown':
      return [row + page, column]
    case 'PageUp':
      return [row - page, column]
    case 'Home':
      return [isFar ? 0 : row, 0]
    case 'End':
      return [isFar ? rows - 1 : row, columns - 1]
    case 'Tab':
      return [row, column + (isBack ? -1 : 1)]
    default:
      return undefined
  }
}

/**
 * The whole rows that a press on the number of a row selects: those that are selected already if it is one of them,
 * with Shift all from the active row on.
 */
export function rowsPressed(row: number, selection: Selection, columns: number, isExtended: boolean): Selection {
  const [top, bottom] = [topOf(selection), bottomOf(selection)]
  const isIn = row >= top && row <= bottom && selection.toColumn >= columns - 1
  const [first, last] = isIn ? [top, bottom] : [row, row]
  const ends = isExtended ? { row: selection.row, toRow: row } : { row: first, toRow: last }
  return { ...ends, column: 0, toColumn: columns - 1 }
}

/** The row before which rows are dropped that are dragged over another one; undefined over themselves. */
export const dropBefore = (row: number, first: number, last: number): number | undefined =>
  row > last ? row + 1 : row < first ? row : undefined
