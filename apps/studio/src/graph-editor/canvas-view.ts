import { type useReactFlow, useStore } from '@xyflow/react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { View } from './drawing.ts'
import type { StepEdgeType } from './edge.tsx'
import { firstZoom, type Layout, type Point, READABLE, VIEW_MARGIN } from './layout.ts'
import type { StepNodeType } from './node.tsx'
import { WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'

type Stage = React.RefObject<HTMLDivElement | null>
type Flow = ReturnType<typeof useReactFlow>

/** Delay until the panel below has its final size. */
const SETTLE_DELAY_MS = 60

/** Scrolls the path of an execution into view, as far as it stays readable. */
export function useWayInView(
  flow: Flow,
  stage: Stage,
  visits: ReadonlyMap<string, Visit> | undefined,
  places: ReadonlyMap<string, Point>,
  leaveFirstView: () => void,
): void {
  const latest = useRef(places)
  latest.current = places
  useEffect(() => {
    if (visits === undefined) return
    const timer = setTimeout(() => {
      const box = stage.current?.getBoundingClientRect()
      const way = [...visits.keys()].flatMap((id) => latest.current.get(id) ?? [])
      if (box === undefined || way.length === 0) return
      const left = Math.min(...way.map(({ x }) => x))
      const top = Math.min(...way.map(({ y }) => y))
      const width = Math.max(...way.map(({ x }) => x)) + WIDTH - left
      const height = Math.max(...way.map(({ y }) => y)) + 120 - top
      const space = { width: box.width - 2 * VIEW_MARGIN, height: box.height - 2 * VIEW_MARGIN }
      const fit = Math.min(space.width / width, space.height / height, 1)
      const zoom = Math.max(READABLE, fit)
      const begin = (size: number, room: number, from: number) =>
        (size * zoom <= room - 2 * VIEW_MARGIN ? (room - size * zoom) / 2 : VIEW_MARGIN) - from * zoom
      const x = begin(width, box.width, left)
      const y = begin(height, box.height, top)
      leaveFirstView()
      void flow.setViewport({ x, y, zoom }, { duration: motion(200) })
    }, SETTLE_DELAY_MS)
    return () => clearTimeout(timer)
  }, [flow, stage, visits, leaveFirstView])
}

/** Duration of an animation; 0 if the user prefers reduced motion. */
const motion = (ms: number) => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms)

/** Zoom levels below which steps show only their names, and below which they show no text. */
const NAMES = 0.45
const BLOCKS = 0.25

/** Sets the level of detail for the style sheet. */
export function useDetail(stage: Stage): void {
  const zoom = useStore(({ transform }) => (transform[2] < NAMES ? Math.round(transform[2] * 50) / 50 : 1))
  useEffect(() => {
    const element = stage.current
    if (element === null) return
    element.dataset['detail'] = zoom >= NAMES ? 'all' : zoom >= BLOCKS ? 'names' : 'blocks'
    element.style.setProperty('--zoom', String(Math.max(0.05, zoom)))
  }, [stage, zoom])
}

/** The size of the stage; undefined before it is measured. */
export function useRoom(stage: Stage): Room | undefined {
  const [room, setRoom] = useState<Room>()
  useLayoutEffect(() => {
    const element = stage.current
    if (element === null) return
    const { width, height } = element.getBoundingClientRect()
    setRoom({ width, height })
    const size = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect
      if (now === undefined || now.width === 0) return
      setRoom((old) =>
        old !== undefined && Math.abs(old.width - now.width) < 1 && Math.abs(old.height - now.height) < 1
          ? old
          : { width: now.width, height: now.height },
      )
    })
    size.observe(element)
    return () => size.disconnect()
  }, [stage])
  return room
}

/** The initial viewport: all steps if they are readable, otherwise the beginning, or the current step. */
export function firstView({ width, height }: Room, placed: Layout, at: Point | undefined): View {
  const zoom = firstZoom(placed, { width, height })
  const begin = (size: number, room: number, from: number) =>
    size * zoom <= room - 2 * VIEW_MARGIN + 1
      ? (room - size * zoom) / 2
      : Math.max(room - VIEW_MARGIN - size * zoom, Math.min(VIEW_MARGIN, room / 3 - from * zoom))
  return { width, height, zoom, x: begin(placed.width, width, at?.x ?? 0), y: begin(placed.height, height, at?.y ?? 0) }
}

/** The size of a stage in pixels. */
export interface Room {
  readonly width: number
  readonly height: number
}

/**
 * Fits the initial viewport again when the space or the layout changes, for example when a panel opens, until the user
 * moves the viewport. Returns a function to call when the user does so.
 */
export function useRefit(flow: Flow, room: Room | undefined, placed: Layout, at: Point | undefined): () => void {
  const isOwn = useRef(false)
  const latest = useRef({ placed, at })
  latest.current = { placed, at }
  const { direction } = placed
  const shown = useRef(direction)
  useEffect(() => {
    if (room === undefined) return
    // Another direction has a new initial viewport.
    if (shown.current !== direction) isOwn.current = false
    shown.current = direction
    if (!isOwn.current) void flow.setViewport(firstView(room, latest.current.placed, latest.current.at))
  }, [flow, room, direction])
  return useCallback(() => {
    isOwn.current = true
  }, [])
}

/** Scrolls the step that a key has selected into view. */
export function reveal(flow: Flow, stage: HTMLDivElement | null, at: Point | undefined): void {
  const box = stage?.getBoundingClientRect()
  if (at === undefined || box === undefined) return
  const { x, y, zoom } = flow.getViewport()
  const [left, top] = [at.x * zoom + x, at.y * zoom + y]
  if (left < 8 || top < 8 || left + WIDTH * zoom > box.width - 8 || top + 90 * zoom > box.height - 8)
    void flow.setCenter(at.x + WIDTH / 2, at.y + 60, { zoom: Math.max(zoom, 0.7), duration: motion(160) })
}

/** Number of steps from which only visible steps are DOM elements, and edges are drawn as a picture. */
const MIN_PICTURED_STEPS = 60
/** Zoom below which the steps of such a graph are drawn in the picture, too. */
const FAR = 0.34
export const MIN_ZOOM = 0.02
const PADDING = 0.08
const NONE: never[] = []

/** Size of the grid cells that decide which parts of the graph are rendered, in graph units. */
const CELL = 320

/** The visible grid cells as a key that seldom changes while the viewport moves. */
function cellsIn({ x, y, zoom, width, height }: View): string {
  const cell = (pixels: number) => pixels / zoom / CELL
  return [Math.floor(cell(-x)), Math.floor(cell(-y)), Math.ceil(cell(width - x)), Math.ceil(cell(height - y))].join()
}

function isIn(cells: string, { position: { x, y }, width = WIDTH, height = 0 }: StepNodeType): boolean {
  const [left = 0, top = 0, right = 0, bottom = 0] = cells.split(',').map((cell) => Number(cell) * CELL)
  return x < right && y < bottom && x + width > left && y + height > top
}

/**
 * The parts of a graph that are rendered as elements. In a large graph these are the visible, the current and the
 * selected steps, at a low zoom only the last two. Its edges, and steps that are too small, are drawn as a picture.
 */
export function useDrawn(nodes: StepNodeType[], edges: StepEdgeType[], view: View | undefined, current: string) {
  const isLarge = nodes.length > MIN_PICTURED_STEPS
  // The canvas manages its viewport once it exists.
  const [isReady, setReady] = useState(false)
  const isFar = useStore(({ transform }) => transform[2] < FAR) && isLarge && isReady
  const seen = useStore(({ transform: [x, y, zoom], width, height }) =>
    isLarge && !isFar && isReady ? cellsIn({ x, y, zoom, width, height }) : undefined,
  )
  const cells = seen ?? (view && cellsIn(view)) ?? ''
  const elements = useMemo(() => {
    if (!isLarge) return nodes
    const isKept = ({ id, selected }: StepNodeType) => id === current || selected === true
    return nodes.filter((node) => isKept(node) || (!isFar && isIn(cells, node)))
  }, [nodes, isLarge, isFar, cells, current])
  return {
    isFar,
    isLarge,
    nodes: elements,
    edges: isLarge ? NONE : edges,
    pictured: isLarge ? edges : NONE,
    small: isFar ? nodes : NONE,
    begin: () => requestAnimationFrame(() => setReady(true)),
  }
}

/** Fits all steps into the viewport, including those that are not rendered at the time. */
export function fitAll(flow: Flow, nodes: readonly StepNodeType[]): void {
  const right = Math.max(...nodes.map(({ position, width = WIDTH }) => position.x + width))
  const bottom = Math.max(...nodes.map(({ position, height = 0 }) => position.y + height))
  const [x, y] = [
    Math.min(...nodes.map(({ position }) => position.x)),
    Math.min(...nodes.map(({ position }) => position.y)),
  ]
  if (nodes.length > 0)
    void flow.fitBounds({ x, y, width: right - x, height: bottom - y }, { padding: PADDING, duration: motion(160) })
}
