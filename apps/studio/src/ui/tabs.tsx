import { Go } from './link.tsx'

/** Links to the pages that share one entry of the navigation; the open one is marked. */
export function Tabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly { readonly to: string; readonly label: string }[]
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Go key={tab.to} to={tab.to}>
          {tab.label}
        </Go>
      ))}
    </nav>
  )
}
