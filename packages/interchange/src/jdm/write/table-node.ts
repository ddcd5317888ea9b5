import type { Value } from '@engine/expression'
import { at } from '@engine/ruleset'
import { cellTest } from './cell.ts'
import { lostText, scopeOf, type Writing, written } from './context.ts'
import { zenValue } from './expression.ts'
import { jdmLosses } from './losses.ts'
import type { TableAt, TableRow } from './table-at.ts'
import { NoZen } from './zen-text.ts'

/** A written rule: tests by input column, values by field. */
export interface RuleText {
  readonly note: string | undefined
  readonly tests: readonly string[]
  readonly values: readonly string[]
}

export interface TableParts {
  readonly hitPolicy: 'first' | 'collect'
  /** Members set by the rules. */
  readonly fields: readonly string[]
  readonly rows: readonly RuleText[]
  /** The member that contains them; undefined: the object itself. */
  readonly nest: string | undefined
}

/** The tests of a row. */
export function testsOf(writing: Writing, table: TableAt, { row, place }: TableRow): readonly string[] {
  const scope = scopeOf(writing, table)
  return table.inputs.map(({ id }) => {
    const cell = row.cells[id] ?? ''
    try {
      return cellTest(cell, scope)
    } catch (error) {
      if (!(error instanceof NoZen)) throw error
      writing.losses.error(at(at(place, 'cells'), id), jdmLosses.expression(cell, error.message))
      return lostText(cell).text
    }
  })
}

/** Adds a decision table that passes on its input; returns its id. */
export function tableNode(writing: Writing, table: TableAt, { hitPolicy, fields, rows, nest }: TableParts): string {
  const { step, place } = table
  const scope = scopeOf(writing, table)
  const inputs = table.inputs.map(({ id, field = '' }, index): Value => {
    const at$ = at(
      at(place, 'columns'),
      step.columns.findIndex((column) => column.id === id),
    )
    const text = written(writing, at(at$, 'field'), field, () => zenValue(field, scope))
    return { id: `in${index + 1}`, name: field, field: text.text }
  })
  const outputs = fields.map((field, index): Value => ({ id: `out${index + 1}`, name: field, field }))
  const id = writing.document.node(step.id, 'decisionTableNode', step.name ?? step.id, () => ({
    hitPolicy,
    passThrough: true,
    ...(nest !== undefined && { outputPath: nest }),
    inputs,
    outputs,
    rules: rows.map((row, index) => ruleOf(`${id}_${index + 1}`, row)),
  }))
  return id
}

function ruleOf(id: string, { note, tests, values }: RuleText): Value {
  return {
    _id: id,
    ...(note !== undefined && { _description: note }),
    ...Object.fromEntries(tests.map((test, index) => [`in${index + 1}`, test])),
    ...Object.fromEntries(values.map((value, index) => [`out${index + 1}`, value])),
  }
}
