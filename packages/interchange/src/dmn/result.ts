import type { Aggregate } from '@engine/authoring'
import { quote } from '@engine/expression'

/**
 * Expressions that reduce the list of a table's results, stored in the list's variable. The DMN writer recognises these
 * texts, so that imported models are exported unchanged.
 */

/** The aggregate of the list, or `none` for an empty one. */
export function aggregateResult(variable: string, aggregate: Aggregate, none: string): string {
  const value = aggregate === 'count' ? `len($${variable})` : `${aggregate}($${variable})`
  return `if len($${variable}) == 0 then ${none} else ${value}`
}

/** The list, or `none` when it is empty. */
export function listResult(variable: string, none: string): string {
  return `if len($${variable}) == 0 then ${none} else $${variable}`
}

/** The single distinct result; different ones fail. */
export function equalResult(variable: string, decision: string, none: string): string {
  const fault = JSON.stringify(`rules of ${quote(decision)} that match have different outputs`)
  return (
    `if len(distinct($${variable})) > 1 then to_number(${fault}) ` +
    `else if len($${variable}) == 0 then ${none} else $${variable}[0]`
  )
}
