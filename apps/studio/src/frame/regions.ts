import { firstFocusable } from './focus-target.ts'

/** Parts of a page that F6 goes through, in this order; inside of one the Tab key moves. */
const REGIONS = ['.side', '.top', '.editor-bar', '.outline', '.stage', '.details', '.panel', '.page']

/** Go to the next part of the page, or the one before; it begins anew after the last. */
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

/** A part with one tab stop is entered there, not at the controls around it. */
const preferred = (region: Element) =>
  region.querySelector<HTMLElement>('[role=treeitem][tabindex="0"], .nd[tabindex="0"], [role=grid], .cm-content') ??
  undefined
