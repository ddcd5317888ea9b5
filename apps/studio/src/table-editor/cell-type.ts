import { type Column, literalOf, type Row } from '@engine/authoring'
import { isNumber, tableKeys } from '@engine/expression'

/** How the cells of a column are read and shown; undefined: by each cell itself. */
export type CellType = 'text' | 'number' | 'date' | 'boolean' | 'expression'

/** The types of columns (specification 2.9) by the way in which their cells are written. */
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

/** The type of a column whose cells are written in a way. */
export const COLUMN_TYPE: Readonly<Record<CellType, string>> = {
  text: 'string',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  expression: 'any',
}

/** The types of cells, in the order of their choice. */
export const CELL_TYPES: readonly CellType[] = tableKeys(COLUMN_TYPE)

/** The declared type of a column; undefined: it has none, or one without a form for cells. */
export const declaredType = ({ type }: Pick<Column, 'type'>): CellType | undefined =>
  type === undefined ? undefined : cellTypeOf(type)

/** The cells of a type by its name; undefined: one without a form for cells. */
export const cellTypeOf = (name: string): CellType | undefined => (Object.hasOwn(TYPES, name) ? TYPES[name] : undefined)

/** Cells that decide the type of a column without one. */
const MAX_CELLS = 50

/** The declared type, else the type that its literals share. Costs the cells above the first `MAX_CELLS` that are not empty. */
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

/** The type of the literals of a cell; undefined: it has others, or none. */
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
