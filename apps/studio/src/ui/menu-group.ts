import type { ReactNode } from 'react'

/** An item of a menu: an action, or a link to another site. */
interface MenuEntry {
  readonly id: string
  readonly label: string
  readonly icon?: ReactNode
  /** Shown after the label. */
  readonly note?: ReactNode
  readonly run?: () => void
  readonly href?: string
}

/** Items of a menu below one title. */
export interface MenuGroup {
  /** Empty if the group has the name of its menu. */
  readonly title: string
  /** True for a title that only screen readers announce. */
  readonly hasHiddenTitle?: boolean
  /** The selected item of a group with a selection. */
  readonly selected?: string
  readonly items: readonly MenuEntry[]
}
