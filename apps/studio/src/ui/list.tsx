import type { ReactNode } from 'react'
import type { ListOf } from '../api/data.ts'
import { useTexts } from '../texts/texts.tsx'
import { Pending } from './states.tsx'

/** One column of a list. */
export interface ListColumn<Item> {
  readonly title: string
  readonly cell: (item: Item) => ReactNode
  /** Numbers are aligned to the end; actions are a narrow last column. */
  readonly kind?: 'number' | 'actions'
}

/** A list with its states: loading, error, empty, and more to load. */
export function ListTable<Item>({
  name,
  list,
  columns,
  keyOf,
  empty,
}: {
  readonly name: string
  readonly list: ListOf<Item>
  readonly columns: readonly ListColumn<Item>[]
  readonly keyOf: (item: Item) => string
  readonly empty: ReactNode
}) {
  const { items } = list
  if (items === undefined)
    return (
      <div className="card">
        <Pending of={list} />
      </div>
    )
  if (items.length === 0) return <div className="card">{empty}</div>
  return (
    <div className="card scroll" tabIndex={0} role="region" aria-label={name}>
      <table className="list stacked">
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" className={kind === 'number' ? 'num' : undefined}>
                {kind === 'actions' ? <span className="vh">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ title, cell, kind }) => (
                <td
                  key={title}
                  data-title={title}
                  className={kind === 'number' ? 'num' : kind === 'actions' ? 'acts' : undefined}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More list={list} />
    </div>
  )
}

/** Shown at the end of a list with more items. */
export function More<Item>({ list }: { readonly list: ListOf<Item> }) {
  const { common } = useTexts()
  if (!list.hasNextPage) return null
  return (
    <div className="body">
      <button
        type="button"
        className="btn"
        disabled={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        {common.more}
      </button>
    </div>
  )
}
