import { Go } from './link.tsx'

interface Tab {
  readonly to: string
  readonly label: string
  /** Query parameters, for tabs that share a path. */
  readonly search?: Readonly<Record<string, string>>
  /** Number of waiting items. */
  readonly count?: number
  /** Describes the number. */
  readonly note?: string
  /** The colour of the number; by default the accent. */
  readonly tone?: 'plain' | 'accent' | 'ok' | 'bad'
  /** Whether the tab is open; by default if its URL is that of the page. */
  readonly isOpen?: boolean
}

/** Links to pages that share a navigation entry, or to parts of one page; the open one is marked. */
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
