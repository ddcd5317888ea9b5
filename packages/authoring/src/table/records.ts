import type { Column, TableStep } from '../draft/model.ts'

/**
 * The records of a table as a sheet with a header that the import recognizes: `in:field:type`, `out:field:type`, and
 * `next` except for the hit policy *collect*. Notes and disabled rows cannot be represented.
 *
 * @param nextOf returns the cell for the next step of a row
 */
export function tableRecords(
  { columns, rows, hitPolicy }: TableStep,
  nextOf: (stepId: string) => string = (stepId) => stepId,
): readonly (readonly string[])[] {
  const hasNext = hitPolicy !== 'collect'
  const records = rows
    .filter(({ disabled }) => disabled !== true)
    .map(({ cells, nextStepId = '' }) => [
      ...columns.map(({ id }) => cells[id] ?? ''),
      ...(hasNext ? [nextStepId === '' ? '' : nextOf(nextStepId)] : []),
    ])
  return [[...columns.map(titleOf), ...(hasNext ? ['next'] : [])], ...records]
}

const titleOf = ({ kind, field = '', type }: Column) =>
  `${kind === 'input' ? 'in' : 'out'}:${field}${type === undefined ? '' : `:${type}`}`
