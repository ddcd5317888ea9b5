import type { ReactNode } from 'react'

/** An item of a menu: an action, or a link to another site. */
interface MenuEntry {
  readonly id: string
  readonly label: string
  readonly icon?: ReactNode
  /** Follows the label. */
  readonly note?: ReactNode
  readonly run?: () => void
  readonly href?: string
}

/** Items of a menu below one title. */
export interface MenuGroup {
  /** Empty: the group is named like its menu. */
  readonly title: string
  /** The title is only spoken. */
  readonly hasHiddenTitle?: boolean
  /** The chosen item of a group in which one is chosen. */
  readonly selected?: string
  readonly items: readonly MenuEntry[]
}
