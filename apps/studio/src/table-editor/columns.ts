import { type Column, literalOf, type TableStep } from '@engine/authoring'
import { freshId } from '../session/new-draft.ts'
import { type CellType, COLUMN_TYPE, typeOfColumn } from './cell-type.ts'
import { readCell } from './cell-words.ts'

/** The table with a new column after another one, or after all of its kind; inputs precede outputs. */
export function withColumn(step: TableStep, column: Omit<Column, 'id'>, after?: string): TableStep {
  const id = freshId(
    'c',
    step.columns.map((one) => one.id),
  )
  const at = step.columns.findIndex((one) => one.id === after)
  if (at >= 0) return { ...step, columns: step.columns.toSpliced(at + 1, 0, { ...column, id }) }
  const inputs = step.columns.filter(({ kind }) => kind === 'input')
  const outputs = step.columns.filter(({ kind }) => kind === 'output')
  const added = { ...column, id }
  const columns = column.kind === 'input' ? [...inputs, added, ...outputs] : [...inputs, ...outputs, added]
  return { ...step, columns }
}

/** The table without a column and its cells. */
export function withoutColumn(step: TableStep, id: string): TableStep {
  const rows = step.rows.map((row) => {
    const { [id]: _cell, ...cells } = row.cells
    return { ...row, cells }
  })
  return { ...step, columns: step.columns.filter((column) => column.id !== id), rows }
}

/** The table with a changed column; an empty label or unit is removed. */
export function withColumnChange(step: TableStep, id: string, change: Partial<Omit<Column, 'id' | 'kind'>>): TableStep {
  const columns = step.columns.map((column) => {
    if (column.id !== id) return column
    const { label, unit, ...rest } = { ...column, ...change }
    const kept = {
      ...(label !== undefined && label !== '' && { label }),
      ...(unit !== undefined && unit !== '' && { unit }),
    }
    return { ...rest, ...kept }
  })
  return { ...step, columns }
}

/** The table with a column moved by one position among those of its kind; unchanged at the edge. */
export function withColumnMoved(step: TableStep, id: string, way: 1 | -1): TableStep {
  const at = step.columns.findIndex((column) => column.id === id)
  const [column, other] = [step.columns[at], step.columns[at + way]]
  if (column === undefined || other === undefined || column.kind !== other.kind) return step
  return { ...step, columns: step.columns.with(at, other).with(at + way, column) }
}

/** The table with a copy of a column and its cells, inserted after it. */
export function withColumnCopied(step: TableStep, id: string, field: string): TableStep {
  const at = step.columns.findIndex((column) => column.id === id)
  const column = step.columns[at]
  if (column === undefined) return step
  const copy = freshId(
    'c',
    step.columns.map((one) => one.id),
  )
  const rows = step.rows.map((row) => {
    const cell = row.cells[id]
    return cell === undefined ? row : { ...row, cells: { ...row.cells, [copy]: cell } }
  })
  return { ...step, columns: step.columns.toSpliced(at + 1, 0, { ...column, id: copy, field }), rows }
}

/** The table with a new type of a column; cells are converted where possible. Linear in its cells. */
export function withColumnType(step: TableStep, id: string, type: CellType | undefined): TableStep {
  const column = step.columns.find((one) => one.id === id)
  if (column === undefined) return step
  const { type: _old, ...rest } = column
  const before = typeOfColumn(column, step.rows)
  const rows = step.rows.map((row) => {
    const cell = row.cells[id]
    if (cell === undefined || type === undefined) return row
    const read = readCell(plainText(cell, column.kind, before), { kind: column.kind, type })
    return read.kind === 'unread' ? row : { ...row, cells: { ...row.cells, [id]: read.text } }
  })
  const typed = type === undefined ? rest : { ...rest, type: COLUMN_TYPE[type] }
  return { ...step, columns: step.columns.map((one) => (one.id === id ? typed : one)), rows }
}

/** The text of a literal, which another type may parse; other cells keep their notation. */
function plainText(cell: string, kind: Column['kind'], type: CellType | undefined): string {
  const value = literalOf(cell)
  if (typeof value === 'string') return value
  return kind === 'output' && value === undefined && type !== undefined ? `= ${cell}` : cell
}
