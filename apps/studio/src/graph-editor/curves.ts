import type { StepEdgeType } from './edge.tsx'
import type { Point } from './layout.ts'
import type { StepNodeType } from './node.tsx'
import { ENTRY, shapeOf, WIDTH } from './shape.ts'

/**
 * A part of an edge: a bend from one layer to the next, and a straight line through that layer, unless the edge ends
 * there.
 */
export interface Curve {
  readonly from: Point
  readonly to: Point
  /** Whether the edge continues as a line through the layer. */
  readonly through: boolean
}

/** An edge as it is drawn in the picture of a large graph. */
export interface DrawnEdge {
  readonly edge: StepEdgeType
  readonly curves: readonly Curve[]
}

const MIN_BEND = 24

/** Distance of the control points of a bend from its ends. */
export const bendOf = ({ from, to }: Curve): number => Math.max(MIN_BEND, (to.x - from.x) / 2)

/** In a layer an edge runs straight; between layers it bends. */
export function curvesThrough(source: Point, via: readonly Point[], target: Point): readonly Curve[] {
  let from = source
  const curves = via.map((to) => {
    const curve: Curve = { from, to, through: true }
    from = { x: to.x + WIDTH, y: to.y }
    return curve
  })
  return [...curves, { from, to: target, through: false }]
}

/** The line of an edge: in a layer it runs straight; between layers it bends. */
export function routeOf(source: Point, via: readonly Point[], target: Point): string {
  const curves = curvesThrough(source, via, target).map((curve) => {
    const { to, from, through } = curve
    const bend = bendOf(curve)
    const onward = through ? ` L${to.x + WIDTH},${to.y}` : ''
    return ` C${from.x + bend},${from.y} ${to.x - bend},${to.y} ${to.x},${to.y}${onward}`
  })
  return `M${source.x},${source.y}${curves.join('')}`
}

/** The edges whose ends exist, with their curves. */
export function drawnEdges(nodes: readonly StepNodeType[], edges: readonly StepEdgeType[]): readonly DrawnEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.source), byId.get(edge.target)]
    if (from === undefined || to === undefined) return []
    const port = shapeOf(from.data.step).ports.find(({ id }) => id === edge.sourceHandle)?.y ?? ENTRY
    const source = { x: from.position.x + WIDTH, y: from.position.y + port }
    const target = { x: to.position.x, y: to.position.y + ENTRY }
    return [{ edge, curves: curvesThrough(source, edge.data?.via ?? [], target) }]
  })
}

/** Points of a bend that are compared with the pointer. */
const SAMPLES = 24

/** The edge nearest to a point, if one is within `reach`. */
export function edgeAt(all: readonly DrawnEdge[], at: Point, reach: number): StepEdgeType | undefined {
  let [nearest, found]: [number, StepEdgeType | undefined] = [reach, undefined]
  for (const { edge, curves } of all)
    for (const curve of curves) {
      if (!isNear(curve, at, reach)) continue
      const distance = distanceTo(curve, at)
      if (distance < nearest) [nearest, found] = [distance, edge]
    }
  return found
}

function isNear({ from, to, through }: Curve, { x, y }: Point, reach: number): boolean {
  const bend = to.x < from.x ? MIN_BEND : 0
  return (
    x >= Math.min(from.x, to.x) - bend - reach &&
    x <= Math.max(from.x, to.x) + bend + (through ? WIDTH : 0) + reach &&
    y >= Math.min(from.y, to.y) - reach &&
    y <= Math.max(from.y, to.y) + reach
  )
}

function distanceTo(curve: Curve, { x, y }: Point): number {
  let least = Number.POSITIVE_INFINITY
  let before = pointOf(curve, 0)
  for (let step = 1; step <= SAMPLES; step++) {
    const next = pointOf(curve, step / SAMPLES)
    least = Math.min(least, distanceToLine(before, next, x, y))
    before = next
  }
  return curve.through
    ? Math.min(least, distanceToLine(curve.to, { x: curve.to.x + WIDTH, y: curve.to.y }, x, y))
    : least
}

/** A point of the bend, a cubic curve with horizontal ends. */
function pointOf(curve: Curve, t: number): Point {
  const { from, to } = curve
  const bend = bendOf(curve)
  const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3]
  return { x: a * from.x + b * (from.x + bend) + c * (to.x - bend) + d * to.x, y: (a + b) * from.y + (c + d) * to.y }
}

function distanceToLine(from: Point, to: Point, x: number, y: number): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / length))
  return Math.hypot(from.x + part * dx - x, from.y + part * dy - y)
}
