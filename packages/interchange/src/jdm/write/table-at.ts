import type { Column, Row, TableStep } from '@engine/authoring'
import { at, type Place } from '@engine/ruleset'
import type { StepAt } from './context.ts'

/** An enabled row with its place in the table. */
export interface TableRow {
  readonly row: Row
  readonly place: Place
}

/** An output column by its variable. */
interface TableOutput {
  readonly id: string
  readonly variable: string
}

export interface TableAt extends StepAt<TableStep> {
  readonly rows: readonly TableRow[]
  readonly inputs: readonly Column[]
  readonly outputs: readonly TableOutput[]
}

/** The target of a table when a row matches. */
export const targetOfRow = ({ step }: TableAt, { row, place }: TableRow) => ({
  target: row.nextStepId ?? step.nextStepId,
  place: at(place, 'nextStepId'),
})

/** The target of a table when no row matches. */
export const targetOfNone = ({ step, place }: TableAt) =>
  step.defaultNextStepId === undefined
    ? { target: step.nextStepId, place: at(place, 'nextStepId') }
    : { target: step.defaultNextStepId, place: at(place, 'defaultNextStepId') }
