import type { ReactNode } from 'react'

/** A cell of a transition table. */
export interface TransitionCell {
  /** 0: possible, but not counted. */
  readonly count: number
  readonly tone: 'bad' | 'warn' | 'ok'
}

interface TransitionTableProps {
  readonly name: string
  /** The heads of rows and of columns. */
  readonly before: string
  readonly after: string
  readonly rows: readonly string[]
  readonly columns: readonly string[]
  readonly cell: (from: string, to: string) => TransitionCell | undefined
  /** The highest count: the cell with it is coloured most. */
  readonly most: number
  readonly head: (name: string) => ReactNode
  /** Accessible name of a cell's button. It contains the visible text. */
  readonly label: (from: string, to: string, shown: string) => string
  readonly possible: string
  readonly selected: { readonly from: string; readonly to: string } | undefined
  readonly select: (from: string, to: string) => void
}

/** How results become other results: a row for each before, a column for each after, and a button for each transition. */
export function TransitionTable(props: TransitionTableProps) {
  const { name, before, after, rows, columns, head } = props
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={name}>
      <table className="transitions">
        <thead>
          <tr>
            <th scope="col" className="corner">
              {before}
            </th>
            <th scope="colgroup" colSpan={columns.length} className="across">
              {after}
            </th>
          </tr>
          <tr>
            <td />
            {columns.map((to) => (
              <th key={to} scope="col">
                {head(to)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((from) => (
            <tr key={from}>
              <th scope="row">{head(from)}</th>
              {columns.map((to) => (
                <td key={to}>
                  <Cell {...props} from={from} to={to} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({
  from,
  to,
  cell,
  most,
  label,
  possible,
  selected,
  select,
}: TransitionTableProps & { readonly from: string; readonly to: string }) {
  const found = cell(from, to)
  if (found === undefined) return null
  const { count, tone } = found
  const shown = count === 0 ? possible : count.toLocaleString()
  return (
    <button
      type="button"
      data-tone={tone}
      data-possible={count === 0 ? '' : undefined}
      aria-pressed={selected?.from === from && selected.to === to}
      aria-label={label(from, to, shown)}
      style={{ '--weight': most === 0 ? 0 : count / most }}
      onClick={() => select(from, to)}
    >
      {shown}
    </button>
  )
}
