import type { ReactNode } from 'react'

/** A headline figure of a page. */
export interface Figure {
  readonly label: string
  readonly value: ReactNode
  /** A qualification shown below the number. */
  readonly note?: ReactNode
  readonly tone?: 'ok' | 'warn' | 'bad'
}

/** A few figures side by side, each with its label. */
export function FigureList({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, value, note, tone }) => (
        <div key={label} data-tone={tone}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
