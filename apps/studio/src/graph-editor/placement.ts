import type { DraftRuleset } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Direction } from './direction.ts'
import type { Layout } from './layout.ts'
import { layoutKey, layoutOf } from './positions.ts'

/**
 * Steps from which on a layout takes longer than a frame, and milliseconds without a change before it is computed
 * again.
 */
const MANY = 200
const PAUSE_MS = 300

interface Placed {
  readonly key: string
  readonly layout: Layout
}

const mayWait = ({ steps }: DraftRuleset, direction: Direction, { layout }: Placed) =>
  layout.direction === direction && steps.length >= MANY && steps.every(({ id }) => layout.boxes.has(id))

/**
 * Positions of the steps in the layout. That of a large graph waits while the user types: a condition that gets a
 * second line moves no step until then. A new step is placed immediately.
 */
export function usePlaced(draft: DraftRuleset, direction: Direction, width: number): Layout {
  const [, again] = useState(0)
  const known = useRef<Placed>(undefined)
  const place = useMemo(() => layoutKey(draft), [draft])
  // Down, the width changes nothing.
  const key = direction === 'down' ? `down ${place}` : `right ${width} ${place}`
  if (known.current === undefined || (known.current.key !== key && !mayWait(draft, direction, known.current)))
    known.current = { key, layout: layoutOf(draft, direction, width) }
  const isLate = known.current.key !== key
  useEffect(() => {
    if (!isLate) return
    const timer = setTimeout(() => {
      known.current = { key, layout: layoutOf(draft, direction, width) }
      again((count) => count + 1)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [isLate, key, draft, direction, width])
  return known.current.layout
}
