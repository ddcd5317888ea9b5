import type { DraftRuleset } from '@engine/authoring'
import { useEffect, useMemo, useRef, useState } from 'react'
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

const mayWait = ({ steps }: DraftRuleset, { layout: { boxes } }: Placed) =>
  steps.length >= MANY && steps.every(({ id }) => boxes.has(id))

/**
 * Positions of the steps in the layout. That of a large graph waits while the user types: a condition that gets a
 * second line moves no step until then. A new step is placed immediately.
 */
export function usePlaced(draft: DraftRuleset): Layout {
  const [, again] = useState(0)
  const known = useRef<Placed>(undefined)
  const key = useMemo(() => layoutKey(draft), [draft])
  if (known.current === undefined || (known.current.key !== key && !mayWait(draft, known.current)))
    known.current = { key, layout: layoutOf(draft) }
  const isLate = known.current.key !== key
  useEffect(() => {
    if (!isLate) return
    const timer = setTimeout(() => {
      known.current = { key, layout: layoutOf(draft) }
      again((count) => count + 1)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [isLate, key, draft])
  return known.current.layout
}
