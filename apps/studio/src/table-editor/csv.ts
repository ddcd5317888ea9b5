import type { Column, TableStep } from '@engine/authoring'

/** The table as CSV (RFC 4180) with a header that an import reads again. Notes and disabled rows have no place in it. */
export function tableCsv({ columns, rows, hitPolicy }: TableStep): string {
  const hasNext = hitPolicy !== 'collect'
  const header = [...columns.map(headerOf), ...(hasNext ? ['next'] : [])]
  const lines = rows
    .filter(({ disabled }) => disabled !== true)
    .map(({ cells, nextStepId = '' }) => [
      ...columns.map(({ id }) => cells[id] ?? ''),
      ...(hasNext ? [nextStepId] : []),
    ])
  return [header, ...lines].map((line) => `${line.map(quoted).join(',')}\r\n`).join('')
}

const headerOf = ({ kind, field = '', type }: Column) =>
  `${kind === 'input' ? 'in' : 'out'}:${field}${type === undefined ? '' : `:${type}`}`

const quoted = (text: string) => (/[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
