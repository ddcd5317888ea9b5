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

/** The items as numbers: fails for anything else, where `min` and `max` would also accept texts. */
const numbers = (list: string) => `map(${list}, v => v - 0)`

/** The aggregates of an output's list of values. */
const AGGREGATES: { readonly [Name in Exclude<Aggregate, 'count'>]: (list: string) => string } = {
  sum: (list) => `sum(${list})`,
  min: (list) => `min(${numbers(list)})`,
  max: (list) => `max(${numbers(list)})`,
}

/**
 * `collect`: one action. Row conditions are evaluated once, some hundred at a time, into a list of flags, by which each
 * output collects the values of its rows. Outputs are set after all rows, so that no row reads them. Linear in the rows
 * times the outputs.
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
    // A separate variable per group keeps the matches for coverage.
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

/** The contribution of a row to an output's list: a list of its value, or an empty one. */
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
