import type { Assignment, DraftCall, DraftStep, ExpressionText, SubRuleStep, TableStep } from '../draft/model.ts'

/** Transformations of a step's meaningful texts. */
export interface TextChanges {
  expression(text: ExpressionText): ExpressionText
  /** The path of an input column. */
  path(text: string): string
  /** The name of a variable that is set, with or without `$` as written. */
  variable(name: string): string
}

/** The identity transformations, as a base for others. */
export const UNCHANGED: TextChanges = {
  expression: (text) => text,
  path: (text) => text,
  variable: (name) => name,
}

/**
 * A step with its texts transformed. Names of a sub-rule's own variables are unchanged. Linear in the size of the step.
 */
export function withTexts(step: DraftStep, changes: TextChanges): DraftStep {
  const { expression } = changes
  switch (step.type) {
    case 'decision':
      return { ...step, branches: step.branches.map((branch) => changed(branch, 'condition', expression)) }
    case 'action': {
      const { externalCalls: calls, logging } = step
      return {
        ...step,
        assignments: step.assignments.map((one) => changed(inValue(one, changes), 'name', changes.variable)),
        ...(calls === undefined ? {} : { externalCalls: calls.map((call) => inCall(call, changes)) }),
        ...(logging === undefined ? {} : { logging: changed(logging, 'message', expression) }),
      }
    }
    case 'terminal': {
      const withMessage = changed(step, 'message', expression)
      const { output } = withMessage
      return output === undefined ? withMessage : { ...withMessage, output: output.map((one) => inValue(one, changes)) }
    }
    case 'sub_rule':
      return inUse(step, changes)
    case 'table':
      return inTable(step, changes)
  }
}

const inValue = (one: Assignment, { expression }: TextChanges) => changed(one, 'value', expression)

function inCall(call: DraftCall, { expression, variable }: TextChanges): DraftCall {
  const { params } = call
  const named = changed(call, 'resultVariable', variable)
  return params === undefined ? named : { ...named, params: values(params, expression) }
}

function inUse(step: SubRuleStep, { expression, variable }: TextChanges): SubRuleStep {
  const outputs = step.outputs.map((output) => {
    const { parentVar = output.childVar } = output
    if (parentVar === undefined) return output
    const name = variable(parentVar)
    // A name used for both sides also names the sub-rule's variable.
    return name === parentVar ? output : { ...output, childVar: output.childVar ?? parentVar, parentVar: name }
  })
  return { ...step, bindings: step.bindings.map((binding) => changed(binding, 'expr', expression)), outputs }
}

function inTable(table: TableStep, { expression, path, variable }: TextChanges): TableStep {
  const outputs = new Set(table.columns.filter(({ kind }) => kind === 'output').map(({ id }) => id))
  const inCell = (column: string, cell: string) => {
    if (outputs.has(column)) return expression(cell)
    const start = cell.search(/\S/) + 1
    return cell.trimStart().startsWith('?') ? cell.slice(0, start) + expression(cell.slice(start)) : cell
  }
  return {
    ...table,
    columns: table.columns.map((column) => changed(column, 'field', column.kind === 'input' ? path : variable)),
    rows: table.rows.map((row) => ({
      ...row,
      cells: Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, inCell(column, cell)])),
    })),
  }
}

type Change = (text: string) => string

const values = (texts: { readonly [name: string]: string }, change: Change) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))

/** The object with one of its texts transformed, if present. */
function changed<Owner extends object>(owner: Owner, key: keyof Owner, change: Change): Owner {
  const text = owner[key]
  return typeof text === 'string' ? { ...owner, [key]: change(text) } : owner
}
