import { Go } from './link.tsx'

interface Tab {
  readonly to: string
  readonly label: string
  /** Members of the address after the question mark, where tabs share a path. */
  readonly search?: Readonly<Record<string, string>>
  /** Number of items that wait there. */
  readonly count?: number
  /** The number in words. */
  readonly note?: string
  /** The colour of the number; by default the accent. */
  readonly tone?: 'plain' | 'accent' | 'ok' | 'bad'
  /** Whether it is open; by default where its address is that of the page. */
  readonly isOpen?: boolean
}

/** Links to the pages that share one entry of the navigation, or to the parts of one page; the open one is marked. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, label: words, search, isOpen, count, note, tone = 'accent' }) => (
        <Go
          key={words}
          to={to}
          {...(search !== undefined && { search })}
          {...(isOpen === true && { 'aria-current': 'page' })}
        >
          {words}
          {count !== undefined && (
            <span className="tag" data-tone={tone} title={note}>
              {count}
            </span>
          )}
        </Go>
      ))}
    </nav>
  )
}
