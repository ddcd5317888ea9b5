import type { Aggregate } from '@engine/authoring'
import { quote } from '@engine/expression'

/**
 * What the list of a table's results comes to, in the variable that holds the list. The writer of models finds these texts
 * again, so that what was read is written as it was.
 */

/** The aggregate of the list, or `none` of an empty one. */
export function aggregateResult(variable: string, aggregate: Aggregate, none: string): string {
  const value = aggregate === 'count' ? `len($${variable})` : `${aggregate}($${variable})`
  return `if len($${variable}) == 0 then ${none} else ${value}`
}

/** The list, or `none` in the place of an empty one. */
export function listResult(variable: string, none: string): string {
  return `if len($${variable}) == 0 then ${none} else $${variable}`
}

/** The one result that all have; different ones fail. */
export function equalResult(variable: string, decision: string, none: string): string {
  const fault = JSON.stringify(`rules of ${quote(decision)} that match have different outputs`)
  return (
    `if len(distinct($${variable})) > 1 then to_number(${fault}) ` +
    `else if len($${variable}) == 0 then ${none} else $${variable}[0]`
  )
}
