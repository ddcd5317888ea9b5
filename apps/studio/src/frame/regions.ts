import { firstFocusable } from './focus-target.ts'

/** Regions of a page, in F6 order; Tab moves within a region. */
const REGIONS = ['.side', '.top', '.editor-bar', '.outline', '.stage', '.tab-panel', '.panel', '.page']

/** Focus the next or previous region of the page, cyclically. */
export function goToRegion(way: 1 | -1): void {
  const shown = REGIONS.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? []).filter((one) =>
    one.checkVisibility(),
  )
  const at = shown.findIndex((one) => one.contains(document.activeElement))
  const next = shown.at((at + way + shown.length) % Math.max(1, shown.length))
  if (next === undefined) return
  const target = preferred(next) ?? firstFocusable(next) ?? next
  target.focus()
}

/** A region with a single tab stop is entered there, not at the surrounding controls. */
const preferred = (region: Element) =>
  region.querySelector<HTMLElement>('[role=treeitem][tabindex="0"], .nd[tabindex="0"], [role=grid], .cm-content') ??
  undefined
