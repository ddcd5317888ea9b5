import { quote } from '@engine/expression'
import type { LossText } from '../../losses.ts'

const text = (code: string, message: string): LossText => ({ code, message })

/** Messages about parts of a draft that a decision model cannot express. */
export const writeLosses = {
  noOrder: () => text('no-order', 'the steps do not form a single sequence from the first step to a terminal'),
  step: (type: string) => text('step', `a step of the type ${quote(type)} cannot be expressed in a decision model`),
  calls: () => text('external-calls', 'external calls cannot be expressed in a decision model'),
  logging: () => text('logging', 'log messages cannot be expressed in a decision model'),
  expression: (original: string, reason: string) =>
    text('no-feel', `${quote(original)} cannot be expressed in FEEL: ${reason}`),
  noOutputs: () => text('no-outputs', 'a decision table needs an output, and this one has none'),
  routes: () => text('routes', 'a decision table cannot branch, and the rows of this one lead to different steps'),
  disabled: () => text('disabled-rows', 'disabled rows were omitted'),
  codes: () => text('codes', 'rows lead to terminals with different codes, which a decision model cannot express'),
  code: (code: string) => text('code', `the code ${quote(code)} cannot be expressed in a decision model`),
  message: () => text('message', 'a message cannot be expressed in a decision model'),
  reassigned: (field: string) =>
    text('reassigned', `the table sets ${quote(field)}, which already has a value that remains when no row matches`),
  lists: () =>
    text(
      'lists',
      'a table that collects several outputs has one list for each, but a decision table has a single list',
    ),
  emptyOutput: () =>
    text(
      'empty-output',
      'an empty output of a table that collects is omitted from the list, but null in a decision model',
    ),
  unused: (name: string) => text('unused', `${quote(name)} is not needed and was omitted`),
} as const
