import type { DraftStep } from '@engine/authoring'

/** An action that sets `x`, followed by the step `end`. */
export const action = (value: string, rest: object = {}): DraftStep => ({
  id: 'a',
  type: 'action',
  assignments: [{ name: 'x', value }],
  nextStepId: 'end',
  ...rest,
})

/** A table of one row that sets `x` depending on `n`, followed by the step `end`. */
export const table = (cells: Readonly<Record<string, string>>, rest: object = {}): DraftStep => ({
  id: 'a',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'i', kind: 'input', field: 'n' },
    { id: 'o', kind: 'output', field: 'x' },
  ],
  rows: [{ id: 'r', cells: { i: '1', o: '2', ...cells } }],
  nextStepId: 'end',
  ...rest,
})

/** The step `end`, which outputs the set variables. */
export const end: Extract<DraftStep, { type: 'terminal' }> = {
  id: 'end',
  type: 'terminal',
  code: 'DECIDED',
  output: [{ name: 'x', value: '$x' }],
}
