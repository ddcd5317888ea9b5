import type { Cell, Layered, Link } from './layers.ts'

const SWEEPS = 12

/**
 * Order the cells of each layer so that few edges cross: each cell moves to the mean place of its neighbours, sweep
 * after sweep down and up; the best order found is kept. Costs a sort of each layer for each sweep.
 */
export function reduceCrossings({ layers, down, up }: Layered): number {
  number(layers)
  let fewest = crossings(layers, down)
  let best = layers.map((layer) => [...layer])
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0
    for (const layer of isDown ? layers.slice(1) : layers.slice(0, -1).reverse())
      sortByNeighbours(layer, isDown, isDown ? up : down)
    const now = crossings(layers, down)
    if (now >= fewest) continue
    fewest = now
    best = layers.map((layer) => [...layer])
  }
  for (const [at, layer] of best.entries()) layers[at]?.splice(0, layer.length, ...layer)
  number(layers)
  return fewest
}

function number(layers: Layered['layers']): void {
  for (const layer of layers) for (const [order, cell] of layer.entries()) cell.order = order
}

function sortByNeighbours(layer: Cell[], isDown: boolean, near: Layered['up']): void {
  const placed = layer.map((cell) => ({ cell, place: placeAmong(near.get(cell), cell, isDown) }))
  placed.sort((left, right) => left.place - right.place || left.cell.order - right.cell.order)
  for (const [order, { cell }] of placed.entries()) {
    layer[order] = cell
    cell.order = order
  }
}

/** The mean place of the neighbours of a cell; its own when it has none. */
function placeAmong(links: readonly Link[] | undefined, { order }: Cell, isDown: boolean): number {
  if (links === undefined) return order
  let sum = 0
  for (const { from, to, outY } of links) sum += isDown ? from.order + outY / (from.height + 1) : to.order - outY / 1e4
  return sum / links.length
}

/** Pairs of edges that cross, counted as inversions with a binary indexed tree. */
function crossings(layers: Layered['layers'], down: Layered['down']): number {
  let total = 0
  for (const [at, layer] of layers.entries()) {
    const below = layers[at + 1]
    if (below === undefined) break
    // The cells are in order, so that only the edges of each one need sorting.
    const places: number[] = []
    for (const cell of layer) {
      const own = down.get(cell) ?? []
      const sorted =
        own.length < 2 ? own : own.toSorted((left, right) => left.outY - right.outY || left.to.order - right.to.order)
      for (const { to } of sorted) places.push(to.order)
    }
    total += inversions(places, below.length)
  }
  return total
}

function inversions(places: readonly number[], size: number): number {
  const tree = new Int32Array(size + 2)
  let total = 0
  for (let seen = 0; seen < places.length; seen++) {
    const place = places[seen] ?? 0
    let upTo = 0
    for (let at = place + 1; at > 0; at -= at & -at) upTo += tree[at] ?? 0
    total += seen - upTo
    for (let at = place + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1
  }
  return total
}
