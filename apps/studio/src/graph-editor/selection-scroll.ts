import type { useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { reveal } from './canvas-view.ts'
import type { Point } from './layout.ts'

/**
 * Scrolls a step into view when it is selected elsewhere, in the outline or by a search. The initial viewport is kept.
 */
export function useSelectedInView(
  flow: ReturnType<typeof useReactFlow>,
  stage: React.RefObject<HTMLDivElement | null>,
  selected: string | undefined,
  places: ReadonlyMap<string, Point>,
): void {
  const latest = useRef(places)
  latest.current = places
  const shown = useRef(selected)
  useEffect(() => {
    if (shown.current === selected) return
    shown.current = selected
    reveal(flow, stage.current, latest.current.get(selected ?? ''))
  }, [flow, stage, selected])
}
