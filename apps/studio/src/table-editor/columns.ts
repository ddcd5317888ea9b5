import type { Column, TableStep } from '@engine/authoring'
import { freshId } from '../session/new-draft.ts'

/** The table with a new column; inputs come before outputs. */
export function withColumn(step: TableStep, column: Omit<Column, 'id'>): TableStep {
  const id = freshId(
    'c',
    step.columns.map((one) => one.id),
  )
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
