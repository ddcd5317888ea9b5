import { literalOf, type Row, type TableStep } from '@engine/authoring'
import { isNumber } from '@engine/expression'
import { idMaker } from '../session/new-draft.ts'

/** A sorted and filtered view of the rows of a table; it never changes their order in the rules. */
export interface RowView {
  readonly sort?: { readonly column: string; readonly isDown: boolean } | undefined
  /** Texts that the cells must contain, by column. */
  readonly filters: Readonly<Record<string, string>>
}

export const WHOLE: RowView = { filters: {} }

export const isWhole = ({ sort, filters }: RowView): boolean =>
  sort === undefined && Object.values(filters).every((text) => text === '')

/**
 * Indexes of the visible rows in display order. Cost: the cells of the filtered columns, and sorting by one column.
 *
 * @param shownText returns the displayed text of a cell
 */
export function viewedRows(
  { rows }: Pick<TableStep, 'rows'>,
  { sort, filters }: RowView,
  shownText: (row: Row, column: string) => string,
): readonly number[] {
  const wanted = Object.entries(filters).filter(([, text]) => text !== '')
  const indexes = [...rows.keys()].filter((index) => {
    const row = rows[index]
    return (
      row !== undefined &&
      wanted.every(([column, text]) => {
        const code = row.cells[column] ?? ''
        return `${shownText(row, column)}\n${code}`.toLowerCase().includes(text.toLowerCase())
      })
    )
  })
  if (sort === undefined) return indexes
  const keys = new Map(indexes.map((index) => [index, sortKey(rows[index]?.cells[sort.column] ?? '')]))
  const way = sort.isDown ? -1 : 1
  return indexes.toSorted((left, right) => {
    const [a, b] = [keys.get(left), keys.get(right)]
    if (a === undefined || b === undefined || a === b) return left - right
    // Empty cells come last in both directions.
    if (a.rank === 2 || b.rank === 2) return a.rank - b.rank || left - right
    const order = a.rank - b.rank || (a.number ?? 0) - (b.number ?? 0) || a.text.localeCompare(b.text)
    return order === 0 ? left - right : order * way
  })
}

interface SortKey {
  /** Numbers sort before texts, and texts before empty cells. */
  readonly rank: 0 | 1 | 2
  readonly number?: number
  readonly text: string
}

/** A number, including the first one of a comparison or a range; otherwise the text. */
function sortKey(cell: string): SortKey {
  if (cell.trim() === '') return { rank: 2, text: '' }
  const value = literalOf(cell)
  if (typeof value === 'string') return { rank: 1, text: value }
  if (value !== undefined && isNumber(value)) return { rank: 0, number: Number(value), text: '' }
  const number = /^[^"\p{L}]*?(-?\d+(?:\.\d+)?)/u.exec(cell)?.[1]
  return number === undefined ? { rank: 1, text: cell } : { rank: 0, number: Number(number), text: cell }
}

/**
 * The rows of a table after a change of the visible ones: changed rows keep their positions, deleted ones are removed,
 * new ones follow the last. Linear in the rows.
 */
export function withViewChange(
  rows: readonly Row[],
  shown: readonly number[],
  change: (rows: readonly Row[]) => readonly Row[],
): readonly Row[] {
  const before = shown.flatMap((index) => rows[index] ?? [])
  const next = new Map(change(before).map((row) => [row.id, row]))
  const visible = new Set(before.map(({ id }) => id))
  const known = new Set(rows.map(({ id }) => id))
  const newId = idMaker('r', known)
  const kept = rows.flatMap((row) => (visible.has(row.id) ? (next.get(row.id) ?? []) : [row]))
  // A row added to the visible ones may have the id of a hidden one.
  const added = Array.from(next.values()).filter(({ id }) => !visible.has(id))
  return [...kept, ...added.map((row) => (known.has(row.id) ? { ...row, id: newId() } : row))]
}
