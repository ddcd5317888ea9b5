import type { Value } from '@engine/expression'
import { quote, typeName } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import { hasType, parseType } from '@engine/ruleset'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import type { Column, TableStep } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { cellCondition, columnPath, literalOf } from './cell.ts'

/** An enabled row. */
export interface ReadRow {
  readonly id: string
  /** Place of the row. */
  readonly place: Place
  readonly condition: string
  /** Its assignments in column order: variable to expression text. */
  readonly outputs: ReadonlyMap<string, string>
  readonly nextStepId: string | undefined
}

export interface ReadTable {
  /** Variables of all output columns, in order. */
  readonly variables: readonly string[]
  readonly rows: readonly ReadRow[]
}

interface Input {
  readonly id: string
  readonly path: string
  readonly type: string | undefined
}

interface Output {
  readonly id: string
  readonly variable: string
  readonly type: string | undefined
}

/** The rows of a table as conditions and assignments. Problems are reported at their cells. */
export function readTable(scope: Scope, place: Place, step: TableStep): ReadTable {
  const inputs: Input[] = []
  const outputs: Output[] = []
  const ids = new Set<string>()
  for (const [index, column] of step.columns.entries()) {
    const at = below(place, 'columns', index)
    if (ids.has(column.id)) scope.report.error(below(at, 'id'), messages.duplicateId('column', column.id))
    ids.add(column.id)
    readColumn(scope, at, column, inputs, outputs)
  }
  const rows = step.rows.flatMap((row, index) => {
    const at = below(place, 'rows', index)
    for (const id of Object.keys(row.cells))
      if (!ids.has(id)) scope.report.warn(below(at, 'cells', id), messages.unknownColumn(id))
    const condition = readInputs(scope, at, row.cells, inputs)
    const assigned = readOutputs(scope, at, row.cells, outputs)
    const { id, nextStepId } = row
    return row.disabled === true ? [] : [{ id, place: at, condition, outputs: assigned, nextStepId }]
  })
  refuseRepeatedRows(scope, place, step)
  return { variables: outputs.map(({ variable }) => variable), rows }
}

function refuseRepeatedRows(scope: Scope, place: Place, { rows }: TableStep): void {
  const ids = new Set<string>()
  for (const [index, { id }] of rows.entries()) {
    if (ids.has(id)) scope.report.error(below(place, 'rows', index, 'id'), messages.duplicateId('row', id))
    ids.add(id)
  }
}

function readColumn(scope: Scope, place: Place, column: Column, inputs: Input[], outputs: Output[]): void {
  const { id, kind, field = '', type } = column
  if (type !== undefined && parseType(type) === undefined)
    scope.report.error(below(place, 'type'), messages.unknownType(type))
  const path = columnPath(kind === 'output' && !field.startsWith('$') ? `$${field}` : field)
  if (field === '') scope.report.error(below(place, 'field'), messages.emptyName('the field'))
  else if (path === undefined || (kind === 'output' && !/^\$[^.[]+$/.test(path)))
    scope.report.error(below(place, 'field'), messages.badPath(field))
  else if (kind === 'output') outputs.push({ id, variable: path.slice(1), type })
  else {
    scope.checked(below(place, 'field'), path, field)
    inputs.push({ id, path, type })
  }
}

type Cells = TableStep['rows'][number]['cells']

const cellOf = (cells: Cells, id: string) => (Object.hasOwn(cells, id) ? (cells[id] ?? '') : '')

function readInputs(scope: Scope, place: Place, cells: Cells, inputs: readonly Input[]): string {
  const conditions: string[] = []
  for (const { id, path, type } of inputs) {
    const cell = cellOf(cells, id)
    const found = cellCondition(path, cell)
    if (found.kind === 'any') continue
    const at = below(place, 'cells', id)
    if (found.kind === 'failed') {
      scope.report.within(at, cell, { ...found.problem, at: WHOLE }, { start: 0, end: cell.length }, 'error')
      continue
    }
    if (scope.checked(at, found.text, cell, found.written) === undefined) continue
    for (const literal of found.literals) checkType(scope, at, type, literal)
    conditions.push(found.text)
  }
  return conditions.length === 0 ? 'true' : conditions.join(' && ')
}

const WHOLE = { start: 0, end: 0 }

function readOutputs(scope: Scope, place: Place, cells: Cells, outputs: readonly Output[]): ReadRow['outputs'] {
  const assigned = new Map<string, string>()
  for (const { id, variable, type } of outputs) {
    const cell = cellOf(cells, id)
    if (cell.trim() === '') continue
    const at = below(place, 'cells', id)
    const literal = literalOf(cell)
    if (literal !== undefined) checkType(scope, at, type, literal)
    assigned.set(variable, scope.expression(at, cell))
  }
  return assigned
}

function checkType(scope: Scope, place: Place, type: string | undefined, value: Value): void {
  const known = type === undefined ? undefined : parseType(type)
  if (known === undefined || value === null || hasType(value, known)) return
  scope.report.error(place, messages.cellType(quote(type ?? ''), typeName(value)))
}
