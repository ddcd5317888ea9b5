import type { Direction } from './direction.ts'
import type { Layout, Point, Tracks } from './layout.ts'
import { ENTRY } from './shape.ts'

/** A placed step. */
export interface Placed extends Point {
  readonly width: number
  readonly height: number
  readonly isResult: boolean
}

/** The path of an edge: corners to be rounded, or a curve between two points. */
export interface Route {
  readonly points: readonly Point[]
  readonly isCurve: boolean
}

interface Exit {
  readonly y: number
  /** True for the last port of the step: in a flow that runs down, its edge begins at the bottom. */
  readonly isLast: boolean
  /** Index of the target among those of the step: each has a separate track. */
  readonly bus: number
}

/** Distance in pixels from the left side of a step to its edges at the top and bottom. */
const STEM = 26
const FREE_LINE = 18
const BUS_GAP = 9
const BUSES = 4
/** Maximum distance of neighbours that are connected by a straight line or a curve. */
const NEAR_DOWN = 40
const NEAR_RIGHT = 54

/**
 * The path from a port to a step. To a neighbour it is straight or a curve; otherwise it leaves next to the lane of the
 * step, follows the free track above the target, and enters at the top. It can cross only results next to a step, and
 * only if the target was moved.
 */
export function routeOf(
  from: Placed,
  exit: Exit,
  to: Placed,
  tracks: { readonly from: Tracks | undefined; readonly to: Tracks | undefined },
  direction: Direction,
): Route {
  const begin = { x: from.x + from.width, y: from.y + exit.y }
  if (to.isResult)
    return { points: [begin, { x: to.x, y: to.y + to.height / 2 }], isCurve: begin.y !== to.y + to.height / 2 }
  const bus = FREE_LINE + (exit.bus % BUSES) * BUS_GAP
  return direction === 'down' ? downwards(from, begin, exit, to, tracks, bus) : rightwards(begin, to, tracks, bus)
}

function downwards(
  from: Placed,
  begin: Point,
  { isLast }: Exit,
  to: Placed,
  tracks: { readonly from: Tracks | undefined; readonly to: Tracks | undefined },
  bus: number,
): Route {
  const foot = from.y + from.height
  const stem = to.x + STEM
  const distance = to.y - foot
  if (to.x === from.x && isLast && distance > 0 && distance <= NEAR_DOWN)
    return corners({ x: stem, y: foot }, { x: stem, y: to.y })
  const above = tracks.to === undefined || tracks.to.above >= to.y ? to.y - FREE_LINE : tracks.to.above
  const isRight = to.x > from.x
  const line = isRight ? Math.max(tracks.from?.right ?? 0, begin.x + FREE_LINE) - FREE_LINE + bus : from.x - bus
  const start = isRight ? begin : { x: from.x, y: begin.y }
  return corners(start, { x: line, y: start.y }, { x: line, y: above }, { x: stem, y: above }, { x: stem, y: to.y })
}

function rightwards(
  begin: Point,
  to: Placed,
  tracks: { readonly from: Tracks | undefined; readonly to: Tracks | undefined },
  bus: number,
): Route {
  const end = { x: to.x, y: to.y + ENTRY }
  const distance = to.x - begin.x
  if (distance > 0 && distance <= NEAR_RIGHT) return { points: [begin, end], isCurve: true }
  const above = tracks.to === undefined || tracks.to.above >= to.y ? to.y - FREE_LINE : tracks.to.above
  const out = begin.x + bus / 2 + BUS_GAP
  const into = to.x - FREE_LINE
  return corners(begin, { x: out, y: begin.y }, { x: out, y: above }, { x: into, y: above }, { x: into, y: end.y }, end)
}

const corners = (...points: readonly Point[]): Route => ({ points, isCurve: false })

/** The tracks of a step that is still at its position in the layout. */
export function tracksAt({ boxes, tracks }: Layout, id: string, at: Point): Tracks | undefined {
  const own = boxes.get(id)
  return own !== undefined && own.x === at.x && own.y === at.y ? tracks.get(id) : undefined
}

/** Distance of the control points of a curve from its ends. */
export const bendOf = ([from, to]: readonly Point[]): number =>
  from === undefined || to === undefined ? 0 : Math.max(24, Math.abs(to.x - from.x) / 2)

const RADIUS = 10

/** The path of an edge as an SVG path. */
export function pathOf({ points, isCurve }: Route): string {
  const [from, to] = points
  if (from === undefined || to === undefined) return ''
  if (isCurve) {
    const bend = bendOf(points)
    return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`
  }
  const parts = points.slice(1).map((corner, index) => {
    const [before, after] = [points[index], points[index + 2]]
    if (before === undefined || after === undefined) return `L${corner.x} ${corner.y}`
    const radius = Math.min(RADIUS, distance(before, corner) / 2, distance(corner, after) / 2)
    const [begin, end] = [towards(corner, before, radius), towards(corner, after, radius)]
    return `L${begin.x} ${begin.y}Q${corner.x} ${corner.y} ${end.x} ${end.y}`
  })
  return `M${from.x} ${from.y}${parts.join('')}`
}

const distance = (from: Point, to: Point) => Math.hypot(to.x - from.x, to.y - from.y)

function towards(from: Point, to: Point, by: number): Point {
  const part = by / Math.max(1, distance(from, to))
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

/** Number of points of a curve that are compared with the pointer. */
const SAMPLES = 24

/** The path as straight segments. */
export function piecesOf({ points, isCurve }: Route): readonly Point[] {
  const [from, to] = points
  if (!isCurve || from === undefined || to === undefined) return points
  const bend = bendOf(points)
  return Array.from({ length: SAMPLES + 1 }, (_, index) => {
    const t = index / SAMPLES
    const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3]
    return { x: a * from.x + b * (from.x + bend) + c * (to.x - bend) + d * to.x, y: (a + b) * from.y + (c + d) * to.y }
  })
}

/** Distance in pixels from a point to the path. */
export function distanceTo(route: Route, { x, y }: Point): number {
  const pieces = piecesOf(route)
  return pieces.reduce((least, to, index) => {
    const from = pieces[index - 1]
    return from === undefined ? least : Math.min(least, distanceToPiece(from, to, x, y))
  }, Number.POSITIVE_INFINITY)
}

function distanceToPiece(from: Point, to: Point, x: number, y: number): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - from.x) * dx + (y - from.y) * dy) / length))
  return Math.hypot(from.x + part * dx - x, from.y + part * dy - y)
}

/** The middle of the longest segment, for a button. */
export function middleOf(route: Route): Point {
  const pieces = route.isCurve ? piecesOf(route) : route.points
  if (route.isCurve) return pieces[SAMPLES / 2] ?? { x: 0, y: 0 }
  let [longest, middle] = [-1, { x: 0, y: 0 }]
  for (const [index, to] of pieces.entries()) {
    const from = pieces[index - 1]
    if (from === undefined || distance(from, to) <= longest) continue
    longest = distance(from, to)
    middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
  }
  return middle
}
