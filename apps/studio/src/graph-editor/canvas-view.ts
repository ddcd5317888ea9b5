import type { useReactFlow } from '@xyflow/react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { StepEdgeType } from './edge.tsx'
import type { Layout, Point } from './layout.ts'
import type { StepNodeType } from './node.tsx'
import { WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'

type Stage = React.RefObject<HTMLDivElement | null>
type Flow = ReturnType<typeof useReactFlow>

/** Milliseconds until the panel below has its place. */
const SETTLED_MS = 60

/** The way of an execution comes into view, as far as it can be read. */
export function useWayInView(
  flow: Flow,
  stage: Stage,
  visits: ReadonlyMap<string, Visit> | undefined,
  places: ReadonlyMap<string, Point>,
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
      void flow.setViewport({ x, y, zoom }, { duration: motion(200) })
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [flow, stage, visits])
}

/** Milliseconds of a motion; none where the reader wants none. */
const motion = (ms: number) => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms)

/** Zoom from which on a text can be read: below it the view begins at a step, and shows a part. */
const READABLE = 0.62
const BEGIN = 0.78

/** All if that can be read, else the current step at the left. The stage measures itself once. */
export function useFirstView(stage: Stage, placed: Layout, at: Point | undefined) {
  const [view, setView] = useState<{ width: number; height: number; x: number; y: number; zoom: number }>()
  useLayoutEffect(() => {
    const box = stage.current?.getBoundingClientRect()
    if (box === undefined) return
    const { width, height } = box
    const fit = Math.min((width - 48) / Math.max(1, placed.width), (height - 48) / Math.max(1, placed.height), 1)
    setView(
      fit >= READABLE || at === undefined
        ? { width, height, zoom: fit, x: (width - placed.width * fit) / 2, y: (height - placed.height * fit) / 2 }
        : {
            width,
            height,
            zoom: BEGIN,
            x: 28 - at.x * BEGIN,
            y: Math.max(28 - at.y * BEGIN, height / 2 - (at.y + 60) * BEGIN),
          },
    )
    // eslint-disable-next-line -- the first view only
  }, [])
  return view
}

/** A step that a key leads to comes into view. */
export function reveal(flow: Flow, stage: HTMLDivElement | null, at: Point | undefined): void {
  const box = stage?.getBoundingClientRect()
  if (at === undefined || box === undefined) return
  const { x, y, zoom } = flow.getViewport()
  const [left, top] = [at.x * zoom + x, at.y * zoom + y]
  if (left < 8 || top < 8 || left + WIDTH * zoom > box.width - 8 || top + 90 * zoom > box.height - 8)
    void flow.setCenter(at.x + WIDTH / 2, at.y + 60, { zoom: Math.max(zoom, 0.7), duration: motion(160) })
}

/** Steps from which on only those in view are elements. */
export const VERY_MANY = 60
export const LEAST_ZOOM = 0.02
const PADDING = 0.08
const NO_EDGES: StepEdgeType[] = []

interface FirstView {
  readonly x: number
  readonly y: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}

/**
 * The elements that the canvas is given. Before it has measured itself it would make those of all steps: of many it gets
 * what is in the first view. From far away the current step alone is one.
 */
export function useDrawn(
  nodes: StepNodeType[],
  edges: StepEdgeType[],
  isFar: boolean,
  view: FirstView | undefined,
  current: string,
) {
  const [isReady, setReady] = useState(false)
  const isFirst = !isReady && nodes.length > VERY_MANY
  const drawn = useMemo(() => {
    if (isFar) return nodes.filter(({ id }) => id === current)
    return isFirst && view !== undefined ? nodes.filter((node) => isSeen(node, view)) : nodes
  }, [nodes, isFar, isFirst, view, current])
  return {
    nodes: drawn,
    edges: isFar || isFirst ? NO_EDGES : edges,
    begin: () => requestAnimationFrame(() => setReady(true)),
  }
}

function isSeen({ position, height: own = 0 }: StepNodeType, { x, y, zoom, width, height }: FirstView): boolean {
  const [left, top] = [position.x * zoom + x, position.y * zoom + y]
  return left < width && top < height && left + WIDTH * zoom > 0 && top + own * zoom > 0
}

/** All steps come into view, also those that are no elements at the time. */
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
