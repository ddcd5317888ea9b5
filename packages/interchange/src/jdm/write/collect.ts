import type { Aggregate } from '@engine/authoring'
import { at } from '@engine/ruleset'
import { scopeOf, type Writing, type WrittenStep, written } from './context.ts'
import { ExpressionNodes } from './expression-nodes.ts'
import { zenValue } from './expression.ts'
import type { TableAt, TableRow } from './table-at.ts'
import { tableNode, testsOf } from './table-node.ts'
import { atom, call, choice, comparison, list, literal, memberOf, NULL, type ZenText } from './zen-text.ts'

/** A collecting table: a list of objects in ZEN, from which following nodes extract a list for each output. */
export function writeCollect(writing: Writing, table: TableAt): WrittenStep {
  const { step, place, rows } = table
  const variables = [...new Set(table.outputs.map(({ variable }) => variable))]
  const sets = rows.map((row) => collected(writing, table, row))
  const hasAll = new Map(variables.map((variable) => [variable, sets.every((set) => set.has(variable))]))
  // A row that sets nothing counts as well.
  const fields = [...variables.map((variable) => writing.keys.variable(variable)), MARK]
  const written$ = rows.map((row, index) => ({
    note: row.row.note,
    tests: testsOf(writing, table, row),
    values: [
      ...variables.map((variable) => valueOf(sets[index]?.get(variable), hasAll.get(variable) === true)),
      'true',
    ],
  }))
  const nest = writing.keys.fresh(`${step.id}_rows`)
  const first = tableNode(writing, table, { hitPolicy: 'collect', fields, rows: written$, nest })
  const nodes = new ExpressionNodes(writing, table, { node: first })
  for (const variable of variables)
    nodes.set(variable, variable, place, () => {
      if (step.aggregate === 'count') return call('len', 'number', atom(nest))
      const name = hasAll.get(variable) === true ? 'map' : 'flatMap'
      const values = call(name, 'list', atom(nest), memberOf(atom('#'), writing.keys.variable(variable)))
      return aggregated(step.aggregate, values)
    })
  const { exit, known } = nodes.end()
  const key = step.nextStepId === undefined ? 'defaultNextStepId' : 'nextStepId'
  return { first, exits: [{ exit, place: at(place, key), target: step[key], known }] }
}

/** A member present in every row. */
const MARK = 'row'

/** The values of a row: its cells read the variables as they were before the table. */
function collected(writing: Writing, table: TableAt, { row, place }: TableRow): ReadonlyMap<string, ZenText> {
  const scope = scopeOf(writing, table)
  const set = new Map<string, ZenText>()
  if (table.step.aggregate === 'count') return set
  for (const { id, variable } of table.outputs) {
    const cell = row.cells[id] ?? ''
    if (cell.trim() === '') continue
    const text = written(writing, at(at(place, 'cells'), id), cell, () => zenValue(cell, scope))
    set.set(variable, text)
  }
  return set
}

/** When some rows omit an output, each row has a list with its value or an empty list. */
function valueOf(text: ZenText | undefined, hasAll: boolean): string {
  if (text === undefined) return '[]'
  return hasAll ? text.text : list([text]).text
}

function aggregated(aggregate: Exclude<Aggregate, 'count'> | undefined, values: ZenText): ZenText {
  if (aggregate === undefined) return values
  const result = call(aggregate, 'number', values)
  if (aggregate === 'sum') return result
  return choice(comparison('==', call('len', 'number', values), literal(0)), NULL, result)
}
