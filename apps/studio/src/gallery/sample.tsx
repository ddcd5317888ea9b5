import type { ReactNode } from 'react'

/** One component, or one of its states. `of` names the shown components. */
export function Sample({
  of: components,
  title,
  children,
}: {
  readonly of: string
  readonly title: string
  readonly children: ReactNode
}) {
  return (
    <section className="card" data-components={components} aria-label={title}>
      <div className="body stack">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}
