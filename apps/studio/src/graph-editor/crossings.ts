import type { Cell, Layered } from './layers.ts'

const SWEEPS = 12

/**
 * Order the cells of each layer so that few edges cross: each cell goes to the mean place of its neighbours, sweep after
 * sweep down and up; the best order that was seen stays. Costs a sort of each layer for each sweep.
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
  const place = new Map(
    layer.map((cell) => {
      const links = near.get(cell)
      if (links === undefined) return [cell, cell.order]
      const places = links.map((one) =>
        isDown ? one.from.order + one.outY / (one.from.height + 1) : one.to.order - one.outY / 1e4,
      )
      return [cell, places.reduce((sum, one) => sum + one, 0) / places.length]
    }),
  )
  layer.sort((left, right) => (place.get(left) ?? 0) - (place.get(right) ?? 0) || left.order - right.order)
  for (const [order, cell] of layer.entries()) cell.order = order
}

/** Pairs of edges that cross, counted as inversions with a binary indexed tree. */
function crossings(layers: Layered['layers'], down: Layered['down']): number {
  let total = 0
  for (const [at, layer] of layers.entries()) {
    const below = layers[at + 1]
    if (below === undefined) break
    const ends = layer.flatMap((cell) =>
      (down.get(cell) ?? []).map(({ outY, to }) => ({ from: cell.order + outY / 1e5, to: to.order })),
    )
    ends.sort((left, right) => left.from - right.from || left.to - right.to)
    total += inversions(
      ends.map(({ to }) => to),
      below.length,
    )
  }
  return total
}

function inversions(places: readonly number[], size: number): number {
  const tree = new Int32Array(size + 2)
  let total = 0
  for (const [seen, place] of places.entries()) {
    let upTo = 0
    for (let at = place + 1; at > 0; at -= at & -at) upTo += tree[at] ?? 0
    total += seen - upTo
    for (let at = place + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1
  }
  return total
}
