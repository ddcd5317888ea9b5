import { quote } from '@engine/expression'
import type { LossText } from '../../losses.ts'

const text = (code: string, message: string): LossText => ({ code, message })

/** What is said of the parts of a draft that have no form in a decision model. */
export const writeLosses = {
  noOrder: () => text('no-order', 'the steps do not follow each other from the first to a terminal'),
  step: (type: string) => text('step', `a step of the type ${quote(type)} has no form in a decision model`),
  calls: () => text('external-calls', 'external calls have no form in a decision model'),
  logging: () => text('logging', 'log messages have no form in a decision model'),
  expression: (original: string, reason: string) =>
    text('no-feel', `${quote(original.slice(0, 200))} has no form in FEEL: ${reason}`),
  noOutputs: () => text('no-outputs', 'a decision table has an output, and this one has none'),
  routes: () => text('routes', 'a decision table leads nowhere, and the rows of this one lead to different steps'),
  disabled: () => text('disabled-rows', 'disabled rows are left out'),
  codes: () => text('codes', 'rows lead to terminals with different codes, which have no form in a decision model'),
  code: (code: string) => text('code', `the code ${quote(code)} has no form in a decision model`),
  message: () => text('message', 'a message has no form in a decision model'),
  reassigned: (field: string) =>
    text('reassigned', `the table sets ${quote(field)}, which was set before and stays when no row matches`),
  lists: () =>
    text('lists', 'a table that collects several outputs has a list for each, and a decision table has one list'),
  emptyOutput: () =>
    text('empty-output', 'an empty output of a table that collects is left out of the list, and null there'),
  unused: (name: string) => text('unused', `nothing needs ${quote(name)}: it is left out`),
} as const
