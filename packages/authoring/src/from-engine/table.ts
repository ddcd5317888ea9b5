import { isList, type Value } from '@engine/expression'
import { type Fields, isFields, member } from '@engine/ruleset'
import { type PathTest, testsOf, textOf, writtenText } from './expression.ts'

/** Minimum number of branches to show a decision as a table. */
const MIN_ROWS = 4

interface Row {
  readonly tests: readonly PathTest[]
  readonly outputs: readonly (readonly [variable: string, text: string])[]
  readonly nextStepId: string
}

/**
 * Columns and rows for branches that compare paths with literals and only set variables; undefined for others. Columns
 * are in the order of the conditions, which is the evaluation order of cells; branches with contradictory orders are
 * not converted to a table. Linear in the branches times the columns.
 */
export function tableOf(branches: readonly Fields[]): { readonly columns: Value; readonly rows: Value } | undefined {
  if (branches.length < MIN_ROWS) return undefined
  const rows = branches.map(rowOf)
  if (!rows.every((row) => row !== undefined)) return undefined
  const inputs = orderOf(rows.map(({ tests }) => tests.map(({ path }) => path)))
  const outputs = orderOf(rows.map((row) => row.outputs.map(([variable]) => variable)))
  if (inputs === undefined || outputs === undefined || inputs.length === 0) return undefined
  const columns = [
    ...inputs.map((field, index): Value => ({ id: `c${index + 1}`, kind: 'input', field })),
    ...outputs.map((field, index): Value => ({ id: `o${index + 1}`, kind: 'output', field })),
  ]
  const inputIds = new Map(inputs.map((field, index) => [field, `c${index + 1}`]))
  const outputIds = new Map(outputs.map((field, index) => [field, `o${index + 1}`]))
  return {
    columns,
    rows: rows.map((row, index) => ({
      id: `r${index + 1}`,
      cells: Object.fromEntries([
        ...row.tests.map(({ path, cell }) => [inputIds.get(path) ?? '', cell] as const),
        ...row.outputs.map(([variable, text]) => [outputIds.get(variable) ?? '', text] as const),
      ]),
      nextStepId: row.nextStepId,
    })),
  }
}

function rowOf(branch: Fields): Row | undefined {
  const condition = member(branch, 'condition')
  const tests = condition === true ? [] : testsOf(textOf(condition))
  const outputs = outputsOf(member(branch, 'actions'))
  if (tests === undefined || outputs === undefined) return undefined
  return { tests, outputs, nextStepId: writtenText(branch, 'next_step') }
}

/** The variables set by actions, each once; undefined when the actions do anything else. */
function outputsOf(actions: Value | undefined): Row['outputs'] | undefined {
  const found = new Map<string, string>()
  const list = isList(actions) ? actions : []
  for (const action of list) {
    if (!isFields(action) || member(action, 'action') !== 'set_variable') return undefined
    found.set(writtenText(action, 'name').replace(/^\$/, ''), textOf(member(action, 'value')))
  }
  return found.size === list.length ? [...found] : undefined
}

/** An order consistent with all the lists; undefined when two of them contradict each other. */
function orderOf(lists: readonly (readonly string[])[]): readonly string[] | undefined {
  const order = [...new Set(lists.toSorted((a, b) => b.length - a.length).flat())]
  const position = new Map(order.map((name, index) => [name, index]))
  const isKept = lists.every((list) =>
    list.every((name, index) => index === 0 || (position.get(name) ?? 0) > (position.get(list[index - 1] ?? '') ?? 0)),
  )
  return isKept ? order : undefined
}
