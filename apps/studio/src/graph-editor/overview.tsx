import { useReactFlow, useStoreApi } from '@xyflow/react'
import { type PointerEvent, useEffect, useRef } from 'react'
import { onColours } from './drawing.ts'
import type { Point } from './layout.ts'
import type { StepNodeType } from './node.tsx'
import { WIDTH } from './shape.ts'

/** Size of the overview in pixels, and its margin around the graph. */
const [WIDE, HIGH, FREE] = [150, 96, 6] as const

interface OverviewProps {
  readonly label: string
  readonly nodes: readonly StepNodeType[]
}

/** A thumbnail of all steps with a frame around the visible part; dragging in it moves the viewport. */
export function Overview({ label, nodes }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const scale = useRef({ x: 0, y: 0, zoom: 1 })
  const store = useStoreApi()
  const flow = useReactFlow()
  useEffect(() => {
    const element = canvas.current
    const style = frame.current?.style
    if (element === null || style === undefined) return
    const draw = () => {
      scale.current = drawSmall(element, nodes)
    }
    const show = () => {
      const { x, y, zoom } = scale.current
      const { transform, width, height } = store.getState()
      const one = zoom / transform[2]
      style.transform = `translate(${x - transform[0] * one}px, ${y - transform[1] * one}px)`
      style.width = `${width * one}px`
      style.height = `${height * one}px`
    }
    draw()
    show()
    const leave = store.subscribe(show)
    const forget = onColours(draw)
    return () => {
      leave()
      forget()
    }
  }, [nodes, store])
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if ((event.buttons & 1) === 0) return
    const box = event.currentTarget.getBoundingClientRect()
    const { x, y, zoom } = scale.current
    const at: Point = { x: (event.clientX - box.x - x) / zoom, y: (event.clientY - box.y - y) / zoom }
    void flow.setCenter(at.x, at.y, { zoom: flow.getZoom() })
  }
  return (
    <div
      className="overview nopan nowheel"
      role="img"
      aria-label={label}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={move}
    >
      <canvas ref={canvas} />
      <div ref={frame} />
    </div>
  )
}

/** Draw each step as a box coloured by kind; returns the origin of the graph, and the scale. */
function drawSmall(element: HTMLCanvasElement, nodes: readonly StepNodeType[]) {
  const left = Math.min(...nodes.map(({ position }) => position.x))
  const top = Math.min(...nodes.map(({ position }) => position.y))
  const width = Math.max(...nodes.map(({ position, width: own = WIDTH }) => position.x + own)) - left
  const height = Math.max(...nodes.map(({ position, height: own = 0 }) => position.y + own)) - top
  const zoom = Math.min((WIDE - 2 * FREE) / width, (HIGH - 2 * FREE) / height)
  const place = { x: (WIDE - width * zoom) / 2 - left * zoom, y: (HIGH - height * zoom) / 2 - top * zoom, zoom }
  const ratio = devicePixelRatio
  Object.assign(element, { width: WIDE * ratio, height: HIGH * ratio })
  const context = element.getContext('2d')
  context?.scale(ratio, ratio)
  const style = getComputedStyle(document.documentElement)
  for (const { position, width: broad = WIDTH, height: own = 0, data } of nodes) {
    if (context === null) break
    context.fillStyle = style.getPropertyValue(data.step.type === 'terminal' ? data.colour : `--k-${data.step.type}`)
    const [x, y] = [position.x * zoom + place.x, position.y * zoom + place.y]
    context.fillRect(x, y, Math.max(1, broad * zoom), Math.max(1, own * zoom))
  }
  return place
}
