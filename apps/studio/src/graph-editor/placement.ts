import type { DraftRuleset } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Direction } from './direction.ts'
import type { Layout } from './layout.ts'
import { layoutKey, layoutOf } from './positions.ts'

/**
 * Number of steps from which a layout takes longer than a frame, and the debounce delay before it is computed again.
 */
const MIN_DEBOUNCED_STEPS = 200
const DEBOUNCE_MS = 300

interface Placed {
  readonly key: string
  readonly layout: Layout
}

const mayWait = ({ steps }: DraftRuleset, direction: Direction, { layout }: Placed) =>
  layout.direction === direction && steps.length >= MIN_DEBOUNCED_STEPS && steps.every(({ id }) => layout.boxes.has(id))

/**
 * Positions of the steps in the layout. The layout of a large graph is delayed while the user types: a condition that
 * grows to a second line moves no step until then. A new step is placed immediately.
 */
export function usePlaced(draft: DraftRuleset, direction: Direction, width: number): Layout {
  const [, again] = useState(0)
  const known = useRef<Placed>(undefined)
  const place = useMemo(() => layoutKey(draft), [draft])
  // In the direction down, the width has no effect.
  const key = direction === 'down' ? `down ${place}` : `right ${width} ${place}`
  if (known.current === undefined || (known.current.key !== key && !mayWait(draft, direction, known.current)))
    known.current = { key, layout: layoutOf(draft, direction, width) }
  const isLate = known.current.key !== key
  useEffect(() => {
    if (!isLate) return
    const timer = setTimeout(() => {
      known.current = { key, layout: layoutOf(draft, direction, width) }
      again((count) => count + 1)
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [isLate, key, draft, direction, width])
  return known.current.layout
}
