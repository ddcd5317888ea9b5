import { type PointerEvent, useLayoutEffect, useState } from 'react'
import { NUMBER_WIDTH, ROW_HEIGHT } from './grid-row.tsx'
import type { GridColumn } from './rows.ts'

/** Height of the header. */
export const HEAD = 62
/** Number of rows rendered beyond the visible ones. */
const OVERSCAN_ROWS = 8

/** The visible part of a grid. */
export function useView(box: React.RefObject<HTMLDivElement | null>) {
  const [view, setView] = useState({ top: 0, left: 0, width: 1200, height: 700 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const size = new ResizeObserver(() =>
      setView((old) => ({ ...old, width: element.clientWidth, height: element.clientHeight })),
    )
    size.observe(element)
    // Rounded to several rows, so that most scroll events cause no render.
    const onScroll = () =>
      setView((old) => {
        const top = Math.floor(element.scrollTop / (ROW_HEIGHT * 3)) * ROW_HEIGHT * 3
        const left = Math.floor(element.scrollLeft / 100) * 100
        return old.top === top && old.left === left ? old : { ...old, top, left }
      })
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      size.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [box])
  return view
}

/** The left edge of each column, and the right edge of the last one. */
export function leftEdges(columns: readonly GridColumn[]): readonly number[] {
  const edges = [NUMBER_WIDTH]
  for (const { width } of columns) edges.push((edges.at(-1) ?? 0) + width)
  return edges
}

/** The visible columns. */
export function columnsIn(
  view: { readonly left: number; readonly width: number },
  columns: readonly GridColumn[],
  lefts: readonly number[],
) {
  let from = 0
  while (from < columns.length - 1 && (lefts[from + 1] ?? 0) < view.left) from++
  let to = from
  while (to < columns.length && (lefts[to] ?? 0) < view.left + view.width + 200) to++
  return { from, to }
}

/** Scrolls a cell into view. */
export function scrollTo(element: HTMLDivElement | null, row: number, left: number, width: number): void {
  if (element === null) return
  const y = row * ROW_HEIGHT
  if (y < element.scrollTop) element.scrollTop = y
  else if (y + ROW_HEIGHT > element.scrollTop + element.clientHeight - HEAD)
    element.scrollTop = y + ROW_HEIGHT - element.clientHeight + HEAD
  if (left - NUMBER_WIDTH < element.scrollLeft) element.scrollLeft = left - NUMBER_WIDTH
  else if (left + width > element.scrollLeft + element.clientWidth)
    element.scrollLeft = left + width - element.clientWidth
}

/** The cell under the pointer. */
export function cellUnder(event: PointerEvent): { readonly row: number; readonly column: number } | undefined {
  const cell = event.target instanceof Element ? event.target.closest('[data-column]') : null
  const row = cell?.closest('[aria-rowindex]')
  if (cell === null || row === null || row === undefined) return undefined
  return { row: Number(row.getAttribute('aria-rowindex')) - 2, column: Number(cell.getAttribute('data-column')) }
}

/** The row under the pointer, including its number cell. */
export function rowUnder(event: PointerEvent): number | undefined {
  const row = event.target instanceof Element ? event.target.closest('.gr') : null
  return row === null ? undefined : Number(row.getAttribute('aria-rowindex')) - 2
}

/**
 * Indexes of the visible rows and the overscan, each in a fixed slot of the list; undefined for an empty slot. A row
 * that scrolls into view recycles the slot and the elements of a row that has left it: elements are neither created nor
 * moved.
 */
export function rowsIn(
  view: { readonly top: number; readonly height: number },
  count: number,
): readonly (number | undefined)[] {
  const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - OVERSCAN_ROWS)
  const last = Math.min(count, Math.ceil((view.top + view.height) / ROW_HEIGHT) + OVERSCAN_ROWS)
  const places = Math.ceil(view.height / ROW_HEIGHT) + 2 * OVERSCAN_ROWS + 1
  return Array.from({ length: places }, (_, place) => {
    const index = first + ((((place - first) % places) + places) % places)
    return index < last ? index : undefined
  })
}
