import type { ReactNode } from 'react'
import { useNumbers } from '../texts/texts.tsx'
import { Icon } from './icon.tsx'

/** A cell of a transition table. */
export interface TransitionCell {
  /** 0 if possible, but not counted. */
  readonly count: number
}

interface TransitionTableProps {
  readonly name: string
  /** The headers of rows and columns. */
  readonly before: string
  readonly after: string
  readonly results: readonly string[]
  readonly cell: (from: string, to: string) => TransitionCell | undefined
  /** Number of decisions that keep their result. */
  readonly kept: (result: string) => number
  /** The highest count of a change, whose cell has the strongest colour. */
  readonly most: number
  readonly head: (name: string) => ReactNode
  /** Accessible name of a cell's button. It contains the visible text. */
  readonly label: (from: string, to: string, shown: string) => string
  readonly possible: string
  readonly selected: { readonly from: string; readonly to: string } | undefined
  readonly select: (from: string, to: string) => void
}

/**
 * A matrix of changed results: one row per previous result, one column per new result. Unchanged results are muted, a
 * change is a button coloured violet by its share, a possible change without a count is outlined. Phones show the
 * changes as a list.
 */
export function TransitionTable(props: TransitionTableProps) {
  const { name, before, after, results, head, cell } = props
  const { number } = useNumbers()
  const changes = results
    .flatMap((from) => results.map((to) => ({ from, to })))
    .filter(({ from, to }) => cell(from, to))
  return (
    <>
      <div className="scroll wide-only" tabIndex={0} role="region" aria-label={name}>
        <table className="transitions">
          <thead>
            <tr>
              <th className="corner">
                {before} <Icon name="down" size={12} /> {after} <Icon name="onward" size={12} />
              </th>
              {results.map((to) => (
                <th key={to} scope="col">
                  {head(to)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((from) => (
              <tr key={from}>
                <th scope="row">{head(from)}</th>
                {results.map((to) => (
                  <td key={to} data-kept={from === to ? '' : undefined}>
                    <Cell {...props} from={from} to={to} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul className="transition-list narrow-only">
        {changes.map(({ from, to }) => (
          <li key={`${from} ${to}`}>
            <span className="row wrap">
              {head(from)} <Icon name="onward" size={13} /> {head(to)}
            </span>
            <Cell {...props} from={from} to={to} />
          </li>
        ))}
        {results
          .filter((result) => props.kept(result) > 0 && cell(result, result) === undefined)
          .map((result) => (
            <li key={result} className="muted">
              {head(result)} <span className="tnum">{number(props.kept(result))}</span>
            </li>
          ))}
      </ul>
    </>
  )
}

function Cell({
  from,
  to,
  cell,
  kept,
  most,
  label,
  possible,
  selected,
  select,
}: TransitionTableProps & { readonly from: string; readonly to: string }) {
  const { number } = useNumbers()
  const found = cell(from, to)
  const isKept = from === to
  if (found === undefined) {
    const count = isKept ? kept(from) : 0
    return <span className="transition-none tnum">{count === 0 ? '·' : number(count)}</span>
  }
  const { count } = found
  const shown = count === 0 ? possible : isKept ? number(kept(from)) : number(count)
  return (
    <button
      type="button"
      data-possible={count === 0 ? '' : undefined}
      data-kept={isKept ? '' : undefined}
      aria-pressed={selected?.from === from && selected.to === to}
      aria-label={label(from, to, shown)}
      style={{ '--weight': most === 0 || isKept ? 0 : count / most }}
      onClick={() => select(from, to)}
    >
      {shown}
    </button>
  )
}
