import { useStoreApi } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { StepEdgeType } from './edge.tsx'
import { drawGraph, onColours, type View } from './drawing.ts'
import type { StepNodeType } from './node.tsx'

/** Fraction of the viewport drawn in addition on each side: within it panning only moves the picture. */
const MARGIN = 0.5
const SIDES = 1 + 2 * MARGIN
/** A picture is redrawn beyond this change of scale, and otherwise when zooming pauses. */
const MAX_SCALE = 1.6
const REDRAW_DELAY_MS = 120

interface EdgeCanvasProps {
  readonly edges: readonly StepEdgeType[]
  /** Steps that are too small for elements. */
  readonly steps: readonly StepNodeType[]
}

/**
 * The edges of a large graph as one picture, and its steps when they are too small for elements: thousands of elements
 * would cost 50 ms per frame. Keyboard and outline work as with elements. Animation frames draw nothing.
 */
export function EdgeCanvas({ edges, steps }: EdgeCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const store = useStoreApi()
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    let drawn: View | undefined
    let pause: ReturnType<typeof setTimeout> | undefined
    const draw = (view: View) => {
      clearTimeout(pause)
      const { x, y, width, height } = view
      const [left, top] = [width * MARGIN, height * MARGIN]
      const whole = { ...view, x: x + left, y: y + top, width: width * SIDES, height: height * SIDES }
      drawGraph(element, whole, edges, steps)
      Object.assign(element.style, {
        width: `${whole.width}px`,
        height: `${whole.height}px`,
        left: `${-left}px`,
        top: `${-top}px`,
        transform: '',
      })
      drawn = view
    }
    const show = () => {
      const view = viewOf(store.getState())
      if (drawn === undefined || !isWithin(drawn, view)) draw(view)
      else {
        const scale = view.zoom / drawn.zoom
        element.style.transform = transformOf(drawn, view)
        clearTimeout(pause)
        if (scale !== 1) pause = setTimeout(() => draw(viewOf(store.getState())), REDRAW_DELAY_MS)
      }
    }
    show()
    const leave = store.subscribe(show)
    const forget = onColours(() => draw(viewOf(store.getState())))
    return () => {
      clearTimeout(pause)
      leave()
      forget()
    }
  }, [store, edges, steps])
  return <canvas ref={canvas} className="picture" aria-hidden="true" />
}

const viewOf = ({
  transform: [x, y, zoom],
  width,
  height,
}: {
  readonly transform: readonly [number, number, number]
  readonly width: number
  readonly height: number
}): View => ({ x, y, zoom, width, height })

/** Whether the picture, moved and scaled, still covers the visible part. */
function isWithin(drawn: View, { x, y, zoom, width, height }: View): boolean {
  const scale = zoom / drawn.zoom
  if (width !== drawn.width || height !== drawn.height || scale > MAX_SCALE || scale < 1 / MAX_SCALE) return false
  const left = x - scale * (drawn.x + width * MARGIN)
  const top = y - scale * (drawn.y + height * MARGIN)
  return left <= 0 && top <= 0 && left + width * SIDES * scale >= width && top + height * SIDES * scale >= height
}

function transformOf(drawn: View, { x, y, zoom, width, height }: View): string {
  const scale = zoom / drawn.zoom
  const [left, top] = [width * MARGIN, height * MARGIN]
  const move = `translate(${x + left - scale * (drawn.x + left)}px, ${y + top - scale * (drawn.y + top)}px)`
  return scale === 1 ? move : `${move} scale(${scale})`
}
