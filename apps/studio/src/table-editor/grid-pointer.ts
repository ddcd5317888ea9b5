import { type PointerEvent, useRef, useState } from 'react'
import { cellUnder, rowUnder } from './grid-view.ts'
import { bottomOf, cellAt, dropBefore, rowsPressed, type Selection } from './selection.ts'

type Drag =
  | { readonly kind: 'cells' }
  | { readonly kind: 'fill'; readonly from: Selection }
  | { readonly kind: 'rows'; readonly first: number; readonly last: number }

interface PointerPlace {
  readonly selection: Selection
  readonly select: (selection: Selection) => void
  readonly columns: number
  readonly commit: () => void
  /** Undefined: read-only. */
  readonly edits:
    | {
        /** Fills a range down to a row. */
        readonly fill: (from: Selection, toRow: number) => void
        /** Moves rows before another row; undefined if the displayed order is not that of the rules. */
        readonly moveRows: ((first: number, last: number, before: number) => void) | undefined
      }
    | undefined
}

/**
 * A click selects a cell, a drag a range; the handle of a range fills down, the number of a row selects and moves the
 * row.
 */
export function useGridPointer({ selection, select, columns, commit, edits }: PointerPlace) {
  const drag = useRef<Drag>(undefined)
  /** The row before which the dragged rows would be dropped. */
  const [drop, setDrop] = useState<number>()
  const [fillTo, setFillTo] = useState<number>()
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return
    if (event.target.closest('.fill-handle') !== null && edits !== undefined) {
      event.preventDefault()
      drag.current = { kind: 'fill', from: selection }
      return
    }
    const row = event.target.closest('.rn') === null ? undefined : rowUnder(event)
    if (row !== undefined) {
      commit()
      const pressed = rowsPressed(row, selection, columns, event.shiftKey)
      select(pressed)
      if (edits?.moveRows !== undefined && !event.shiftKey)
        drag.current = { kind: 'rows', first: pressed.row, last: pressed.toRow }
      return
    }
    const at = cellUnder(event)
    if (at === undefined) return
    commit()
    drag.current = { kind: 'cells' }
    select(event.shiftKey ? { ...selection, toRow: at.row, toColumn: at.column } : cellAt(at.row, at.column))
  }
  const onPointerMove = (event: PointerEvent) => {
    switch (drag.current?.kind) {
      case undefined:
        return
      case 'cells': {
        const at = cellUnder(event)
        if (at !== undefined && (at.row !== selection.toRow || at.column !== selection.toColumn))
          select({ ...selection, toRow: at.row, toColumn: at.column })
        return
      }
      case 'fill': {
        const row = rowUnder(event)
        if (row !== undefined) setFillTo(Math.max(row, bottomOf(drag.current.from)))
        return
      }
      case 'rows': {
        const row = rowUnder(event)
        const { first, last } = drag.current
        if (row !== undefined) setDrop(dropBefore(row, first, last))
      }
    }
  }
  const onPointerUp = () => {
    const done = drag.current
    drag.current = undefined
    if (done?.kind === 'fill' && fillTo !== undefined && fillTo > bottomOf(done.from)) edits?.fill(done.from, fillTo)
    if (done?.kind === 'rows' && drop !== undefined) edits?.moveRows?.(done.first, done.last, drop)
    setDrop(undefined)
    setFillTo(undefined)
  }
  return { drop, fillTo, handlers: { onPointerDown, onPointerMove, onPointerUp } }
}
