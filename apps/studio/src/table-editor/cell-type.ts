import { type Column, literalOf, type Row } from '@engine/authoring'
import { isNumber, tableKeys } from '@engine/expression'

/** The type in which the cells of a column are parsed and shown; undefined: each cell determines its own. */
export type CellType = 'text' | 'number' | 'date' | 'boolean' | 'expression'

/** The cell type of each column type (specification 2.9). */
const TYPES: Readonly<Record<string, CellType>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  decimal: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'date',
  any: 'expression',
}

/** The column type for each cell type. */
export const COLUMN_TYPE: Readonly<Record<CellType, string>> = {
  text: 'string',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  expression: 'any',
}

/** The cell types, in the order in which they are offered. */
export const CELL_TYPES: readonly CellType[] = tableKeys(COLUMN_TYPE)

/** The declared type of a column; undefined if there is none, or it has no cell type. */
export const declaredType = ({ type }: Pick<Column, 'type'>): CellType | undefined =>
  type === undefined ? undefined : cellTypeOf(type)

/** The cell type for a type name; undefined if there is none. */
export const cellTypeOf = (name: string): CellType | undefined => (Object.hasOwn(TYPES, name) ? TYPES[name] : undefined)

/** Number of cells that determine the type of a column without a declared type. */
const MAX_CELLS = 50

/** The declared type, otherwise the common type of the literals. Cost: the first `MAX_CELLS` non-empty cells. */
export function typeOfColumn(column: Column, rows: readonly Row[]): CellType | undefined {
  if (column.type !== undefined) return declaredType(column)
  const found = new Set<CellType | undefined>()
  let count = 0
  for (const { cells } of rows) {
    const cell = Object.hasOwn(cells, column.id) ? (cells[column.id] ?? '') : ''
    if (cell.trim() === '') continue
    found.add(typeOfCell(cell))
    if (found.size > 1) return undefined
    if (++count === MAX_CELLS) break
  }
  return [...found][0]
}

const OPERATOR = /^(?:==|!=|>=|<=|>|<|not\s+in\b|in\b)\s*/

/** The common type of the literals of a cell; undefined if they differ, or there are none. */
function typeOfCell(cell: string): CellType | undefined {
  const right = cell.trim().replace(OPERATOR, '')
  const value = literalOf(right)
  if (value === undefined) return /^[[(]\s*-?\d/.test(right) ? 'number' : undefined
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0) return undefined
  if (values.every((one) => typeof one === 'string')) return 'text'
  if (values.every((one) => typeof one === 'boolean')) return 'boolean'
  return values.every((one) => one !== undefined && isNumber(one)) ? 'number' : undefined
}
