import { cellCondition, columnPath } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { at } from '@engine/ruleset'
import { scopeOf, type Writing, type WrittenExit, type WrittenStep, written } from './context.ts'
import { ExpressionNodes } from './expression-nodes.ts'
import { zenCondition, zenValue } from './expression.ts'
import { type TableAt, type TableRow, targetOfNone, targetOfRow } from './table-at.ts'
import { allOf, NoZen, type ZenText } from './zen-text.ts'

/** A table as a switch: a statement for each row, followed by the nodes that set the row's values. */
export function switchTable(writing: Writing, table: TableAt): WrittenStep {
  const { step } = table
  const statements: Value[] = []
  const exits: WrittenExit[] = []
  const first = writing.document.node(step.id, 'switchNode', step.name ?? step.id, () => ({
    hitPolicy: 'first',
    statements,
  }))
  for (const [index, row] of table.rows.entries()) {
    const id = `${first}_${index + 1}`
    statements.push({ id, condition: rowCondition(writing, table, row).text, isDefault: false })
    const nodes = new ExpressionNodes(writing, table, { node: first, statement: id })
    for (const { id: column, variable } of table.outputs) {
      const cell = row.row.cells[column] ?? ''
      if (cell.trim() === '') continue
      nodes.set(variable, cell, at(at(row.place, 'cells'), column), (scope) => zenValue(cell, scope))
    }
    const { exit, known } = nodes.end()
    exits.push({ ...targetOfRow(table, row), exit, known })
  }
  const id = `${first}_default`
  statements.push({ id, condition: '', isDefault: true })
  exits.push({ ...targetOfNone(table), exit: { node: first, statement: id }, known: table.known })
  return { first, exits }
}

function rowCondition(writing: Writing, table: TableAt, { row, place }: TableRow): ZenText {
  const scope = scopeOf(writing, table)
  const conditions = table.inputs.flatMap(({ id, field = '' }): ZenText[] => {
    const cell = row.cells[id] ?? ''
    const path = columnPath(field)
    const found = path === undefined ? undefined : cellCondition(path, cell)
    if (found?.kind === 'any') return []
    return [
      written(writing, at(at(place, 'cells'), id), cell, () => {
        if (found?.kind !== 'condition') throw new NoZen('it is not a test of a column')
        return zenCondition(found.text, scope)
      }),
    ]
  })
  return allOf(...conditions)
}
