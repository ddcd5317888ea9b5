import type { Direction } from './direction.ts'
import { type Box, chainsOf, longestWays, type Ordered, orderBoxes } from './order.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

/** A port of a box, by index. */
export interface PortPlace {
  readonly step: string
  readonly port: number
}

/** Free tracks around a box, for edges that pass other boxes. */
export interface Tracks {
  /** Y of the free track above the layer of the box. */
  readonly above: number
  /** X of the left and the right side of the lane of the box. */
  readonly left: number
  readonly right: number
}

/** Positions of boxes, and the free tracks for edges between them. */
export interface Layout {
  readonly direction: Direction
  readonly boxes: ReadonlyMap<string, Point>
  /** The port to which a result is docked, by result id. */
  readonly docks: ReadonlyMap<string, PortPlace>
  readonly tracks: ReadonlyMap<string, Tracks>
  readonly width: number
  readonly height: number
}

/** Sizes of results: next to a step, and within its row. */
export const RESULT = { width: 196, height: 34 }
export const CHIP = { width: 116, height: 24 }
/** Distance from a step to its result. */
export const DOCK_GAP = 54
/** Distance from the end of a row to the chip in it. */
const CHIP_MARGIN = 10
/** Gaps between layers, between lanes, and between the lines of a flow to the right. */
const DOWN_GAP = 38
const RIGHT_GAP = 52
const LANE_GAP = 72
const LINE_GAP = 56
const STRIP_GAP = 72

interface Room {
  readonly direction: Direction
  /** Width in pixels after which a flow to the right continues on the next line. */
  readonly width: number
}

interface Work extends Room {
  readonly byId: ReadonlyMap<string, Box>
  readonly docks: ReadonlyMap<string, PortPlace>
  readonly boxes: Map<string, Point>
  readonly tracks: Map<string, Tracks>
}

/**
 * Places steps and results. A result is placed next to the first branch that leads to it; other branches get a
 * reference to it. The layer of a step is its longest path from the entry, and the path with the most following steps
 * keeps its lane. In the direction down, layers are rows and lanes are columns; to the right, layers are columns that
 * wrap like text. Unreachable steps form a strip below. The layout is deterministic. Cost: the ports, and the layers of
 * each lane for each adjacent lane.
 */
export function layout(boxes: readonly Box[], entry: string | undefined, room: Room): Layout {
  const byId = new Map(boxes.map((box) => [box.id, box]))
  const ordered = orderBoxes(byId, entry)
  const docks = dockResults(ordered, byId)
  const work: Work = { ...room, byId, docks, boxes: new Map(), tracks: new Map() }
  if (entry !== undefined && ordered.reached.size > 0)
    (room.direction === 'down' ? placeDown : placeRight)(work, ordered, entry)
  placeStrip(work, boxes, ordered)
  dock(work)
  const placed = Array.from(work.boxes, ([id, { x, y }]) => ({ x, y, ...sizeIn(byId, id) }))
  return {
    direction: room.direction,
    boxes: work.boxes,
    docks,
    tracks: work.tracks,
    width: placed.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    height: placed.reduce((most, { y, height }) => Math.max(most, y + height), 0),
  }
}

const sizeIn = (byId: ReadonlyMap<string, Box>, id: string) => {
  const { width = 0, height = 0 } = byId.get(id) ?? {}
  return { width, height }
}

/** Docks each result to the first port that leads to it; ports of reachable steps take precedence. */
function dockResults({ order, reached }: Ordered, byId: ReadonlyMap<string, Box>): ReadonlyMap<string, PortPlace> {
  const docks = new Map<string, PortPlace>()
  const inOrder = [...order.filter((id) => reached.has(id)), ...order.filter((id) => !reached.has(id))]
  for (const step of inOrder)
    for (const [port, { target = '' }] of (byId.get(step)?.ports ?? []).entries())
      if (byId.get(target)?.isResult === true && !docks.has(target)) docks.set(target, { step, port })
  return docks
}

/** Whether a result, or a reference to one, is placed next to a box. */
const hasResults = ({ byId }: Work, id: string) =>
  byId.get(id)?.ports.some(({ target = '' }) => byId.get(target)?.isResult === true) === true

/** The width of a step with its results. */
const spanOf = (work: Work, id: string) =>
  (work.byId.get(id)?.width ?? 0) + (work.direction === 'down' && hasResults(work, id) ? DOCK_GAP + RESULT.width : 0)

/**
 * Assigns chains to columns: each gets the first column that is free in all its layers, to the right of the step that
 * leads to it.
 */
function columnsOf(ordered: Ordered, entry: string, layers: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const columnOf = new Map<string, number>()
  const taken: Set<number>[] = []
  const parents = new Map<string, string>()
  for (const [id, targets] of ordered.forward)
    for (const target of targets) if (!parents.has(target)) parents.set(target, id)
  for (const chain of chainsOf(ordered, entry)) {
    const [head = '', last = head] = [chain[0], chain.at(-1)]
    const [from, to] = [layers.get(head) ?? 0, layers.get(last) ?? 0]
    const isFree = (column: number) => {
      for (let layer = from; layer <= to; layer++) if (taken[column]?.has(layer) === true) return false
      return true
    }
    let column = head === entry ? 0 : (columnOf.get(parents.get(head) ?? '') ?? 0) + 1
    while (!isFree(column)) column++
    const own = (taken[column] ??= new Set())
    for (let layer = from; layer <= to; layer++) own.add(layer)
    for (const id of chain) columnOf.set(id, column)
  }
  return columnOf
}

function placeDown(work: Work, ordered: Ordered, entry: string): void {
  const layers = longestWays(ordered)
  const columns = columnsOf(ordered, entry, layers)
  const high: number[] = []
  const wide: number[] = []
  for (const [id, layer] of layers) {
    const column = columns.get(id) ?? 0
    high[layer] = Math.max(high[layer] ?? 0, work.byId.get(id)?.height ?? 0)
    wide[column] = Math.max(wide[column] ?? 0, spanOf(work, id))
  }
  const tops = startsOf(high, DOWN_GAP)
  const lefts = startsOf(wide, LANE_GAP)
  for (const [id, layer] of layers) {
    const column = columns.get(id) ?? 0
    const [x, y] = [lefts[column] ?? 0, tops[layer] ?? 0]
    work.boxes.set(id, { x, y })
    // Steps of one layer have free tracks at different heights.
    work.tracks.set(id, {
      above: y - DOWN_GAP / 2 + ((column % 5) - 2) * 5,
      left: x - 18,
      right: x + (wide[column] ?? 0) + 18,
    })
  }
}

/** The offset of each size in a sequence with gaps. */
function startsOf(sizes: readonly (number | undefined)[], gap: number): readonly number[] {
  let at = 0
  return Array.from(sizes, (size = 0) => {
    const start = at
    at += size + gap
    return start
  })
}

function placeRight(work: Work, ordered: Ordered, entry: string): void {
  const layers = longestWays(ordered)
  const columns = columnsOf(ordered, entry, layers)
  const byLayer: string[][] = []
  for (const [id, layer] of layers) (byLayer[layer] ??= []).push(id)
  for (const ids of byLayer) ids.sort((left, right) => (columns.get(left) ?? 0) - (columns.get(right) ?? 0))
  const wide = work.byId.get(entry)?.width ?? 0
  const perLine = Math.max(1, Math.floor((work.width + RIGHT_GAP) / (wide + RIGHT_GAP)))
  let top = 0
  for (let first = 0; first < byLayer.length; first += perLine) {
    let high = 0
    for (const [index, ids] of byLayer.slice(first, first + perLine).entries()) {
      const x = index * (wide + RIGHT_GAP)
      let y = top
      for (const id of ids) {
        work.boxes.set(id, { x, y })
        work.tracks.set(id, { above: top - LINE_GAP / 2, left: x - 18, right: x + wide + 18 })
        y += (work.byId.get(id)?.height ?? 0) + DOWN_GAP
      }
      high = Math.max(high, y - DOWN_GAP - top)
    }
    top += high + LINE_GAP
  }
}

/** Places unreachable boxes in rows below the flow. */
function placeStrip(work: Work, boxes: readonly Box[], { reached }: Ordered): void {
  const { byId } = work
  const placed = Array.from(work.boxes, ([id, { x, y }]) => ({
    right: x + spanOf(work, id),
    bottom: y + (byId.get(id)?.height ?? 0),
  }))
  const limit = Math.max(work.width, ...placed.map(({ right }) => right))
  let top = placed.length === 0 ? 0 : Math.max(...placed.map(({ bottom }) => bottom)) + STRIP_GAP
  let [x, high] = [0, 0]
  for (const { id, height, isResult } of boxes) {
    if (isResult ? work.docks.has(id) : reached.has(id)) continue
    const span = spanOf(work, id)
    if (x > 0 && x + span > limit) {
      top += high + LINE_GAP
      ;[x, high] = [0, 0]
    }
    work.boxes.set(id, { x, y: top })
    work.tracks.set(id, { above: top - LINE_GAP / 2, left: x - 18, right: x + span + 18 })
    x += span + RIGHT_GAP
    high = Math.max(high, height)
  }
}

function dock(work: Work): void {
  for (const [result, place] of work.docks) {
    const at = work.boxes.get(place.step)
    const offset = dockOffset(work.byId.get(place.step), place.port, work.direction)
    if (at !== undefined) work.boxes.set(result, { x: at.x + offset.x, y: at.y + offset.y })
  }
}

/** The offset of a result from the step to which it is docked. */
export function dockOffset(step: Pick<Box, 'width' | 'ports'> | undefined, port: number, direction: Direction): Point {
  const { width = 0, ports = [] } = step ?? {}
  const y = ports[port]?.y ?? 0
  return direction === 'down'
    ? { x: width + DOCK_GAP, y: y - RESULT.height / 2 }
    : { x: width - CHIP.width - CHIP_MARGIN, y: y - CHIP.height / 2 }
}

/** Margin of the initial viewport, in screen pixels. */
export const VIEW_MARGIN = 28
/** Zoom from which all text is readable. */
export const READABLE = 0.8
const MAX_ZOOM = 1.1

/**
 * The zoom of the initial viewport: all of the graph if readable, otherwise all lanes, otherwise the lowest readable
 * zoom.
 */
export function firstZoom(
  picture: { readonly width: number; readonly height: number },
  view: { readonly width: number; readonly height: number },
): number {
  const across = (view.width - 2 * VIEW_MARGIN) / Math.max(1, picture.width)
  const fit = Math.min(across, (view.height - 2 * VIEW_MARGIN) / Math.max(1, picture.height))
  if (fit >= READABLE) return Math.min(fit, MAX_ZOOM)
  return across >= READABLE ? Math.min(across, 1) : READABLE
}
