import { constantOf, type Expression, NO_SPAN, print } from '@engine/expression'
import type { Action } from '@engine/ruleset'

/** Rows of a table of which at most one may match: how the hit policy *unique* of the editor is executed. */
export interface UniqueRows {
  /** The variable that has the id of the row that matches, or null. */
  readonly variable: string
  readonly rows: readonly { readonly id: string; readonly condition: Expression }[]
  /** The expression that fails when several match. */
  readonly fault: Expression
}

/** Rows that are modelled one by one; each is compared with all before it. */
const MAX_ROWS = 100

/**
 * The rows that the actions of a step test: they list the ids of those that match, and leave the only one. Undefined: the
 * actions do something else. Linear in the actions.
 */
export function uniqueRowsOf(actions: readonly Action[]): UniqueRows | undefined {
  const [first, ...rest] = actions
  const last = rest.pop()
  if (first?.action !== 'set_variable' || last?.action !== 'set_variable' || rest.length === 0) return undefined
  const variable = first.name
  const name = `$${variable}`
  if (print(first.value) !== '[]' || last.name !== variable) return undefined
  const { value } = last
  if (value.kind !== 'conditional' || print(value.condition) !== `(len(${name}) > 1)`) return undefined
  const { consequent: fault, alternate } = value
  if (fault.kind !== 'call' || fault.name !== 'to_number' || alternate.kind !== 'conditional') return undefined
  if (print(alternate.condition) !== `(len(${name}) == 1)` || print(alternate.consequent) !== `${name}[0]`)
    return undefined
  if (constantOf(alternate.alternate) !== null) return undefined
  const rows: UniqueRows['rows'][number][] = []
  for (const action of rest) {
    const items = action.action === 'set_variable' && action.name === variable ? listed(action.value, name) : undefined
    for (const item of items ?? [undefined]) {
      const row = item && rowOf(item)
      if (row === undefined || rows.length === MAX_ROWS) return undefined
      rows.push(row)
    }
  }
  return { variable, rows, fault }
}

/** The items of `array_concat($rows, flatten([…]))`. */
function listed(value: Expression, name: string): readonly Expression[] | undefined {
  if (value.kind !== 'call' || value.name !== 'array_concat') return undefined
  const [before, flattened] = value.args
  if (before === undefined || print(before) !== name) return undefined
  if (flattened?.kind !== 'call' || flattened.name !== 'flatten') return undefined
  const [list] = flattened.args
  return list?.kind === 'array' ? list.items : undefined
}

/** A row of `if condition then [id] else []`. */
function rowOf(item: Expression): UniqueRows['rows'][number] | undefined {
  if (item.kind !== 'conditional' || print(item.alternate) !== '[]') return undefined
  const found = constantOf(item.consequent)
  const [id] = Array.isArray(found) && found.length === 1 ? found : []
  return typeof id === 'string' ? { id, condition: item.condition } : undefined
}

/** The id of the first row that matches, over the conditions of the rows; null: none does. */
export function chosenRow(rows: UniqueRows['rows']): Expression {
  let chosen: Expression = { kind: 'literal', value: null, span: NO_SPAN }
  for (const { id, condition } of rows.toReversed()) {
    const consequent: Expression = { kind: 'literal', value: id, span: NO_SPAN }
    chosen = { kind: 'conditional', condition, consequent, alternate: chosen, span: NO_SPAN }
  }
  return chosen
}
