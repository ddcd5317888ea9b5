import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'

/** Height of a row in pixels, and the number of rows from which a list is virtualized. */
export const ROW_HEIGHT = 28
const MIN_WINDOWED_ROWS = 150
/** Rows per scroll step: most scroll events then cause no render. */
const PAGE = 16

/** The rows of a list to render: in a long list the visible ones, and the selected one, which may have the focus. */
export function useRowsInView(list: RefObject<HTMLElement | null>, count: number, selected: number) {
  const [from, setFrom] = useState(0)
  const [height, setHeight] = useState(1200)
  const isPart = count > MIN_WINDOWED_ROWS
  useLayoutEffect(() => {
    const box = list.current?.parentElement
    if (!isPart || box === null || box === undefined) return
    const look = () => setFrom(Math.floor(box.scrollTop / ROW_HEIGHT / PAGE) * PAGE)
    const size = new ResizeObserver(() => setHeight(box.clientHeight))
    size.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      size.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [list, isPart])
  return useMemo(() => {
    const first = isPart ? Math.max(0, from - PAGE / 2) : 0
    const last = isPart ? Math.min(count, from + Math.ceil(height / ROW_HEIGHT) + PAGE * 1.5) : count
    const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
    if (selected >= 0 && selected < first) shown.unshift(selected)
    if (selected >= last && selected < count) shown.push(selected)
    return { isPart, shown }
  }, [isPart, from, height, count, selected])
}
