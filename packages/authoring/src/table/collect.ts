import type { Place } from '@engine/ruleset'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import { type EngineSteps, head } from '../engine/step.ts'
import type { Aggregate, TableStep } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { chunks, setting } from './chunk.ts'
import type { ReadRow, ReadTable } from './read.ts'

/** Characters around the parts of a row in a list. */
const FRAME = 24

/** The items as numbers: anything else fails, where `min` and `max` would take texts too. */
const numbers = (list: string) => `map(${list}, v => v - 0)`

/** What an output is, of the list of its rows' values. */
const AGGREGATES: { readonly [Name in Exclude<Aggregate, 'count'>]: (list: string) => string } = {
  sum: (list) => `sum(${list})`,
  min: (list) => `min(${numbers(list)})`,
  max: (list) => `max(${numbers(list)})`,
}

/**
 * `collect`: one action. Row conditions are evaluated once, some hundred at a time, into a list of flags; by those each
 * output appends the values of its rows to a list of its own. Outputs are set when all rows are done, so that no row
 * sees them. Costs the rows times the outputs.
 */
export function collectSteps(scope: Scope, place: Place, step: TableStep, table: ReadTable): EngineSteps {
  const { variables, rows } = table
  const engine = below(scope.engine, step.id)
  const fresh = (suffix: string) => scope.shared.freshVariable(`${step.id}_${suffix}`)
  const lists = step.aggregate === 'count' ? [] : variables.map((variable) => [variable, fresh(variable)] as const)
  const total = fresh('rows')
  const actions = [setting(total, '0'), ...lists.map(([, list]) => setting(list, '[]'))]
  const add = (name: string, value: string) => {
    scope.note(below(engine, 'actions', actions.length), below(place, 'rows'))
    actions.push(setting(name, value))
  }
  for (const row of rows)
    if (row.nextStepId !== undefined) scope.report.error(below(row.place, 'nextStepId'), messages.rowTarget())
  for (const group of chunks(rows, longest)) {
    // A variable of its own for each group: what matched is still known at the end, for coverage.
    const flags = fresh('matches')
    add(flags, `[${group.map(({ condition }) => `if (${condition}) then 1 else 0`).join(', ')}]`)
    scope.noteRows(below(engine, 'actions', actions.length - 1), group)
    if (step.aggregate === 'count') add(total, `$${total} + sum($${flags})`)
    for (const [variable, list] of lists) {
      const items = group.map((row, index) => itemOf(row, index, variable, flags)).filter((item) => item !== '')
      if (items.length > 0) add(list, `array_concat($${list}, flatten([${items.join(', ')}]))`)
    }
  }
  if (step.aggregate === 'count') for (const variable of variables) actions.push(setting(variable, `$${total}`))
  else for (const [variable, list] of lists) actions.push(setting(variable, result(step.aggregate, `$${list}`)))
  return [[step.id, { ...head(step, 'action'), actions, next_step: nextStep(scope, place, engine, step) }]]
}

function longest({ condition, outputs }: ReadRow): number {
  return Math.max(condition.length, ...Array.from(outputs.values(), ({ length }) => length)) + FRAME
}

/** The item of a row in the list of an output: a list of its value, or nothing. */
function itemOf({ outputs }: ReadRow, index: number, variable: string, flags: string): string {
  const text = outputs.get(variable)
  return text === undefined ? '' : `if $${flags}[${index}] == 1 then [${text}] else []`
}

function result(aggregate: Exclude<Aggregate, 'count'> | undefined, list: string): string {
  return aggregate === undefined ? list : AGGREGATES[aggregate](list)
}

function nextStep(scope: Scope, place: Place, engine: Place, step: TableStep): string {
  const key = step.nextStepId === undefined && step.defaultNextStepId !== undefined ? 'defaultNextStepId' : 'nextStepId'
  scope.note(below(engine, 'next_step'), below(place, key))
  return scope.target(below(place, key), step[key]) ?? ''
}
