import { useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'

/** Distance between dots in graph units. */
const GAP = 20

/** The dots behind a graph. Panning moves them by less than the gap, so that they are not redrawn. */
export function Dots() {
  const dots = useRef<HTMLDivElement>(null)
  const store = useStoreApi()
  useEffect(() => {
    const show = () => {
      const [x, y, zoom] = store.getState().transform
      const { style } = dots.current ?? {}
      if (style === undefined) return
      // At a low zoom they would form a grey area.
      const gap = GAP * zoom * (zoom < 0.5 ? Math.ceil(0.5 / zoom) : 1)
      style.setProperty('--gap', `${gap}px`)
      style.transform = `translate(${(x % gap) - gap}px, ${(y % gap) - gap}px)`
    }
    show()
    return store.subscribe(show)
  }, [store])
  return <div ref={dots} className="dots" aria-hidden="true" />
}
