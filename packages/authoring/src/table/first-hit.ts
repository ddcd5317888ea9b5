import type { Value } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import { type EngineSteps, head } from '../engine/step.ts'
import type { TableStep } from '../draft/model.ts'
import { setting } from './chunk.ts'
import { messages } from '../problem.ts'
import type { ReadRow, ReadTable } from './read.ts'

/** `first`: one decision with a branch per row that sets the outputs. The engine indexes its conditions. */
export function firstSteps(scope: Scope, place: Place, step: TableStep, { rows }: ReadTable): EngineSteps {
  const engine = below(scope.engine, step.id)
  const branches = rows.map((row, index) => rowBranch(scope, place, below(engine, 'branches', index), step, row))
  return [[step.id, { ...head(step, 'decision'), branches, ...noMatch(scope, place, engine, step) }]]
}

/** The branch of a row; `condition` overrides the row's own. */
export function rowBranch(
  scope: Scope,
  place: Place,
  engine: Place,
  step: TableStep,
  row: ReadRow,
  condition = row.condition,
): Value {
  scope.note(engine, row.place)
  const actions = Array.from(row.outputs, ([name, value]) => setting(name, value))
  const next_step = target(scope, place, step, row) ?? ''
  return { condition, next_step, ...(actions.length > 0 && { actions }) }
}

function target(scope: Scope, place: Place, { nextStepId }: TableStep, row: ReadRow): string | undefined {
  if (row.nextStepId !== undefined) return scope.target(below(row.place, 'nextStepId'), row.nextStepId)
  if (nextStepId !== undefined) return scope.target(below(place, 'nextStepId'), nextStepId)
  return scope.report.error(below(row.place, 'nextStepId'), messages.noTarget())
}

/** The target when no row matches: `defaultNextStepId`, else `nextStepId`. */
export function noMatch(scope: Scope, place: Place, engine: Place, step: TableStep) {
  const key = step.defaultNextStepId === undefined ? 'nextStepId' : 'defaultNextStepId'
  const id = step[key]
  if (id === undefined) return {}
  scope.note(below(engine, 'default_next'), below(place, key))
  if (key === 'nextStepId') scope.noteImplied(below(engine, 'default_next'))
  return { default_next: scope.target(below(place, key), id) ?? '' }
}
