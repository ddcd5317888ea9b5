import { type useReactFlow, useStore } from '@xyflow/react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { drawnEdges } from './curves.ts'
import type { View } from './drawing.ts'
import type { StepEdgeType } from './edge.tsx'
import type { Layout, Point } from './layout.ts'
import type { StepNodeType } from './node.tsx'
import { WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'

type Stage = React.RefObject<HTMLDivElement | null>
type Flow = ReturnType<typeof useReactFlow>

/** Milliseconds before the panel below has its final size. */
const SETTLED_MS = 60

/** The path of an execution is brought into view, as far as it stays readable. */
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
      const fit = Math.min((box.width - 48) / width, (box.height - 48) / height, 1)
      const zoom = Math.max(READABLE, fit)
      const isWhole = fit >= READABLE
      const x = isWhole ? (box.width - width * zoom) / 2 - left * zoom : 28 - left * zoom
      const y = isWhole ? (box.height - height * zoom) / 2 - top * zoom : 28 - top * zoom
      leaveFirstView()
      void flow.setViewport({ x, y, zoom }, { duration: motion(200) })
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [flow, stage, visits, leaveFirstView])
}

/** Milliseconds of an animation; none when the user prefers reduced motion. */
const motion = (ms: number) => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms)

/** Zoom from which on texts are readable: below it the view begins at a step, and shows a part. */
const READABLE = 0.5
const BEGIN = 0.78

/** All steps if they stay readable, else the current step at the left. The stage measures itself once. */
export function useFirstView(stage: Stage, placed: Layout, at: Point | undefined) {
  const [view, setView] = useState<View>()
  useLayoutEffect(() => {
    const box = stage.current?.getBoundingClientRect()
    if (box !== undefined) setView(firstView(box, placed, at))
    // eslint-disable-next-line -- the first view only
  }, [])
  return view
}

function firstView({ width, height }: Room, placed: Layout, at: Point | undefined): View {
  const fit = Math.min((width - 48) / Math.max(1, placed.width), (height - 48) / Math.max(1, placed.height), 1)
  const x = (width - placed.width * fit) / 2
  const y = (height - placed.height * fit) / 2
  if (fit >= READABLE || at === undefined) return { width, height, zoom: fit, x, y }
  const top = Math.max(28 - at.y * BEGIN, height / 2 - (at.y + 60) * BEGIN)
  return { width, height, zoom: BEGIN, x: 28 - at.x * BEGIN, y: top }
}

interface Room {
  readonly width: number
  readonly height: number
}

/**
 * Fits the first view again when the available space changes, for example when a panel opens, until the user changes
 * the view. Returns the function to call at such a change.
 */
export function useRefit(
  flow: Flow,
  stage: Stage,
  first: View | undefined,
  placed: Layout,
  at: Point | undefined,
): () => void {
  const isOwn = useRef(false)
  const latest = useRef({ first, placed, at })
  latest.current = { first, placed, at }
  useEffect(() => {
    if (stage.current === null) return
    let room: Room | undefined
    const size = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect
      const before = room ?? latest.current.first
      if (now === undefined || now.width === 0 || before === undefined || isOwn.current) return
      room = { width: now.width, height: now.height }
      if (Math.abs(before.width - now.width) < 1 && Math.abs(before.height - now.height) < 1) return
      void flow.setViewport(firstView(room, latest.current.placed, latest.current.at))
    })
    size.observe(stage.current)
    return () => size.disconnect()
  }, [flow, stage])
  return useCallback(() => {
    isOwn.current = true
  }, [])
}

/** Brings a step into view that a key leads to. */
export function reveal(flow: Flow, stage: HTMLDivElement | null, at: Point | undefined): void {
  const box = stage?.getBoundingClientRect()
  if (at === undefined || box === undefined) return
  const { x, y, zoom } = flow.getViewport()
  const [left, top] = [at.x * zoom + x, at.y * zoom + y]
  if (left < 8 || top < 8 || left + WIDTH * zoom > box.width - 8 || top + 90 * zoom > box.height - 8)
    void flow.setCenter(at.x + WIDTH / 2, at.y + 60, { zoom: Math.max(zoom, 0.7), duration: motion(160) })
}

/** Steps from which on only visible ones are elements, and edges are a picture. */
const MANY = 60
/** Zoom below which the steps of such a graph are part of the picture. */
const FAR = 0.34
export const MIN_ZOOM = 0.02
const PADDING = 0.08
const NONE: never[] = []

/** Size of the cells in which parts of the graph become elements, in units. */
const CELL = 320

/** The visible cells, as a text that seldom changes while the view moves. */
function cellsIn({ x, y, zoom, width, height }: View): string {
  const cell = (pixels: number) => pixels / zoom / CELL
  return [Math.floor(cell(-x)), Math.floor(cell(-y)), Math.ceil(cell(width - x)), Math.ceil(cell(height - y))].join()
}

function isIn(cells: string, { position: { x, y }, height = 0 }: StepNodeType): boolean {
  const [left = 0, top = 0, right = 0, bottom = 0] = cells.split(',').map((cell) => Number(cell) * CELL)
  return x < right && y < bottom && x + WIDTH > left && y + height > top
}

/**
 * The parts of a graph that are elements. In a large one those are the visible, the current and the marked steps; from
 * far away only the last two. Its edges are then a picture, and so are the steps that are too small.
 */
export function useDrawn(nodes: StepNodeType[], edges: StepEdgeType[], view: View | undefined, current: string) {
  const isLarge = nodes.length > MANY
  // The canvas manages its own view once it exists.
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
  const pictured = useMemo(() => (isLarge ? drawnEdges(nodes, edges) : NONE), [isLarge, nodes, edges])
  return {
    isFar,
    isLarge,
    nodes: elements,
    edges: isLarge ? NONE : edges,
    pictured,
    small: isFar ? nodes : NONE,
    begin: () => requestAnimationFrame(() => setReady(true)),
  }
}

/** Fits all steps into the view, also those without elements at the time. */
export function fitAll(flow: Flow, nodes: readonly StepNodeType[]): void {
  const right = Math.max(...nodes.map(({ position }) => position.x + WIDTH))
  const bottom = Math.max(...nodes.map(({ position, height = 0 }) => position.y + height))
  const [x, y] = [
    Math.min(...nodes.map(({ position }) => position.x)),
    Math.min(...nodes.map(({ position }) => position.y)),
  ]
  if (nodes.length > 0)
    void flow.fitBounds({ x, y, width: right - x, height: bottom - y }, { padding: PADDING, duration: motion(160) })
}
