import type { useReactFlow } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { reveal } from './canvas-view.ts'
import type { Point } from './layout.ts'

/** Brings a step into view that is selected elsewhere, in the list of steps or by a search. The first view stays. */
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
