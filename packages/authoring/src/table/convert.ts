import type { Place } from '@engine/ruleset'
import type { EngineSteps } from '../engine/step.ts'
import type { Scope } from '../engine/scope.ts'
import { below } from '../place.ts'
import type { TableStep } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { collectSteps } from './collect.ts'
import { firstSteps } from './first-hit.ts'
import { readTable } from './read.ts'
import { uniqueSteps } from './unique-hit.ts'

const POLICIES = { first: firstSteps, unique: uniqueSteps, collect: collectSteps } as const

/** The engine steps that implement a table. Linear in the characters of all cells. */
export function convertTable(scope: Scope, place: Place, step: TableStep): EngineSteps {
  if (step.aggregate !== undefined && step.hitPolicy !== 'collect')
    scope.report.warn(below(place, 'aggregate'), messages.lonelyAggregate())
  return POLICIES[step.hitPolicy](scope, place, step, readTable(scope, place, step))
}
