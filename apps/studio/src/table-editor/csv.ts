import { type Column, csvText, type TableStep } from '@engine/authoring'

/**
 * The table as CSV (RFC 4180) with a header that an import reads again. The format excludes notes and disabled rows.
 */
export function tableCsv({ columns, rows, hitPolicy }: TableStep): string {
  const hasNext = hitPolicy !== 'collect'
  const header = [...columns.map(headerOf), ...(hasNext ? ['next'] : [])]
  const lines = rows
    .filter(({ disabled }) => disabled !== true)
    .map(({ cells, nextStepId = '' }) => [
      ...columns.map(({ id }) => cells[id] ?? ''),
      ...(hasNext ? [nextStepId] : []),
    ])
  return csvText([header, ...lines])
}

const headerOf = ({ kind, field = '', type }: Column) =>
  `${kind === 'input' ? 'in' : 'out'}:${field}${type === undefined ? '' : `:${type}`}`
