import { quote } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import { type EngineSteps, head } from '../engine/step.ts'
import type { TableStep } from '../draft/model.ts'
import { chunks, setting } from './chunk.ts'
import { noMatch, rowBranch } from './first-hit.ts'
import type { ReadTable } from './read.ts'

/** Characters around the condition and the id of a row in a list. */
const FRAME = 24

/**
 * `unique`: an action that tests all rows and lists the ids of those that match, and a decision by the only id. Two
 * matches make the action fail: `to_number` of a text that names the rows is an error with that text.
 */
export function uniqueSteps(scope: Scope, place: Place, step: TableStep, { rows }: ReadTable): EngineSteps {
  const variable = scope.shared.freshVariable(`${step.id}_row`)
  const actions = [setting(variable, '[]')]
  const engine = below(scope.engine, step.id)
  for (const group of chunks(rows, ({ condition, id }) => condition.length + id.length + FRAME)) {
    const items = group.map(({ condition, id }) => `if (${condition}) then [${JSON.stringify(id)}] else []`)
    scope.note(below(engine, 'actions', actions.length), below(place, 'rows'))
    actions.push(setting(variable, `array_concat($${variable}, flatten([${items.join(', ')}]))`))
  }
  const fault = JSON.stringify(` of table ${quote(step.id)} match`)
  actions.push(
    setting(
      variable,
      `if len($${variable}) > 1 then to_number("rows " + join($${variable}, ", ") + ${fault}) ` +
        `else if len($${variable}) == 1 then $${variable}[0] else null`,
    ),
  )
  const choice = scope.freshId(`${step.id}~row`)
  const choiceEngine = below(scope.engine, choice)
  scope.note(choiceEngine, place)
  const branches = rows.map((row, index) =>
    rowBranch(
      scope,
      place,
      below(choiceEngine, 'branches', index),
      step,
      row,
      `$${variable} == ${JSON.stringify(row.id)}`,
    ),
  )
  return [
    [step.id, { ...head(step, 'action'), actions, next_step: choice }],
    [choice, { ...head({ ...step, id: choice }, 'decision'), branches, ...noMatch(scope, place, choiceEngine, step) }],
  ]
}
