import { reduceCrossings } from './crossings.ts'
import { settleHeights } from './heights.ts'
import { type Box, layered, PASSING } from './layers.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

/** Positions of boxes and edges. */
export interface Layout {
  readonly boxes: ReadonlyMap<string, Point>
  /** Points that the edge of a port passes, by `id:index`. */
  readonly routes: ReadonlyMap<string, readonly Point[]>
  readonly width: number
  readonly height: number
  readonly crossings: number
}

const GAP = 76
const NARROWEST = 40

/** A layered layout from left to right that keeps the order of branches. The same graph has the same layout. */
export function layout(boxes: readonly Box[], entry: string | undefined): Layout {
  const graph = layered(boxes, entry)
  const crossings = reduceCrossings(graph)
  settleHeights(graph)
  const widths = new Map(boxes.map(({ id, width }) => [id, width]))
  const columns: number[] = []
  let x = 0
  for (const layer of graph.layers) {
    columns.push(x)
    x += Math.max(NARROWEST, ...layer.map(({ id }) => widths.get(id) ?? 0)) + GAP
  }
  const cells = graph.layers.flat()
  const top = cells.reduce((least, { y }) => Math.min(least, y), cells[0]?.y ?? 0)
  const pointOf = ({ layer, y }: { layer: number; y: number }, dy = 0): Point => ({
    x: columns[layer] ?? 0,
    y: Math.round(y - top + dy),
  })
  return {
    boxes: new Map(cells.filter(({ isBox }) => isBox).map((cell) => [cell.id, pointOf(cell)])),
    routes: new Map(Array.from(graph.chains, ([key, chain]) => [key, chain.map((cell) => pointOf(cell, PASSING / 2))])),
    width: Math.max(0, x - GAP),
    height: cells.reduce((most, { y, height }) => Math.max(most, y + height), top) - top,
    crossings,
  }
}
