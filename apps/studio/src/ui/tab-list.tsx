import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

interface ListedTab<Name extends string> {
  readonly name: Name
  readonly label: ReactNode
}

/** Tabs with content on the same page: a single tab stop, with arrow keys, Home and End inside. */
export function TabList<Name extends string>({
  label,
  tabs,
  open,
  show,
  children,
}: {
  readonly label: string
  readonly tabs: readonly ListedTab<Name>[]
  readonly open: Name
  readonly show: (name: Name) => void
  /** The content of the open tab. */
  readonly children: ReactNode
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const onKey = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === open)
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    }
    const to = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length]
    if (next === undefined) return
    event.preventDefault()
    show(next.name)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus()
  }
  return (
    <>
      <div ref={list} className="tab-list" role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map(({ name, label: words }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={name === open}
            aria-controls={`${id}-panel`}
            tabIndex={name === open ? 0 : -1}
            onClick={() => show(name)}
          >
            {words}
          </button>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`}>
        {children}
      </div>
    </>
  )
}
