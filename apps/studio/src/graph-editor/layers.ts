/** A box to place: its ports lead to others, in the order of branches. */
export interface Box {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly ports: readonly { readonly y: number; readonly target: string | undefined }[]
}

/** A box, or the place where an edge passes a layer. */
export interface Cell {
  readonly id: string
  readonly layer: number
  readonly height: number
  readonly isBox: boolean
  order: number
  y: number
}

/** An edge between neighbouring layers, with its places on both cells. */
export interface Link {
  readonly from: Cell
  readonly to: Cell
  readonly outY: number
  readonly inY: number
}

/** Boxes in layers, and the edges between them cut at each layer. */
export interface Layered {
  readonly layers: readonly Cell[][]
  readonly down: ReadonlyMap<Cell, readonly Link[]>
  readonly up: ReadonlyMap<Cell, readonly Link[]>
  /** Cells between the ends of the edge of a port, by `id:index`. */
  readonly chains: ReadonlyMap<string, readonly Cell[]>
}

/** Height of the place of a passing edge. */
export const PASSING = 14

type Boxes = ReadonlyMap<string, Box>

/**
 * Boxes in layers by the longest way from the entry. Edges back to an earlier step, found depth first from the entry, do not
 * count. Edges of one box to one target share their cells: forty branches to one step are one line.
 */
export function layered(boxes: readonly Box[], entry: string | undefined): Layered {
  const byId = new Map(boxes.map((box) => [box.id, box]))
  const { order, back } = ordered(byId, entry)
  const layerOf = longestWays(order, byId, back)
  const layers: Cell[][] = []
  const cells = new Map<string, Cell>()
  const add = (id: string, layer: number, height: number, isBox: boolean): Cell => {
    const row = (layers[layer] ??= [])
    const cell: Cell = { id, layer, height, isBox, order: row.length, y: 0 }
    row.push(cell)
    cells.set(id, cell)
    return cell
  }
  for (const id of order) add(id, layerOf.get(id) ?? 0, byId.get(id)?.height ?? 0, true)
  const links = new Map<string, Link>()
  const chains = new Map<string, readonly Cell[]>()
  for (const id of order)
    for (const [index, { y, target }] of (byId.get(id)?.ports ?? []).entries()) {
      const end = target === undefined || back.has(`${id}:${index}`) ? undefined : cells.get(target)
      const begin = cells.get(id)
      if (end === undefined || begin === undefined) continue
      const chain: Cell[] = []
      for (let layer = begin.layer + 1; layer < end.layer; layer++) {
        const passing = `${id}>${target}@${layer}`
        chain.push(cells.get(passing) ?? add(passing, layer, PASSING, false))
      }
      chains.set(`${id}:${index}`, chain)
      link(links, [begin, ...chain, end], y, index)
    }
  return { layers, chains, ...bothWays(links.values()) }
}

/** The links along a chain; the first one is of the port, the others are shared. */
function link(links: Map<string, Link>, chain: readonly Cell[], y: number, port: number): void {
  for (const [at, to] of chain.entries()) {
    const from = chain[at - 1]
    if (from === undefined) continue
    const inY = to.isBox ? Math.min(22, to.height / 2) : PASSING / 2
    links.set(`${from.id}\n${to.id}\n${from.isBox ? port : ''}`, { from, to, outY: from.isBox ? y : PASSING / 2, inY })
  }
}

function bothWays(links: Iterable<Link>): Pick<Layered, 'down' | 'up'> {
  const down = new Map<Cell, Link[]>()
  const up = new Map<Cell, Link[]>()
  for (const one of links) {
    append(down, one.from, one)
    append(up, one.to, one)
  }
  return { down, up }
}

/**
 * The boxes in an order in which edges lead forward, and the edges that lead back. Iterative, since a graph may be
 * deep.
 */
function ordered(boxes: Boxes, entry: string | undefined) {
  const state = new Map<string, 'open' | 'done'>()
  const back = new Set<string>()
  const order: string[] = []
  const visit = (start: string) => {
    const stack = [{ id: start, at: 0 }]
    state.set(start, 'open')
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const port = boxes.get(top.id)?.ports[top.at]
      if (port === undefined) {
        state.set(top.id, 'done')
        order.push(top.id)
        stack.pop()
        continue
      }
      const key = `${top.id}:${top.at++}`
      const { target } = port
      if (target === undefined || !boxes.has(target)) continue
      if (state.get(target) === 'open') back.add(key)
      else if (!state.has(target)) {
        state.set(target, 'open')
        stack.push({ id: target, at: 0 })
      }
    }
  }
  if (entry !== undefined && boxes.has(entry)) visit(entry)
  for (const id of boxes.keys()) if (!state.has(id)) visit(id)
  return { order: order.reverse(), back }
}

function longestWays(order: readonly string[], boxes: Boxes, back: ReadonlySet<string>): ReadonlyMap<string, number> {
  const layerOf = new Map<string, number>()
  for (const id of order) {
    const layer = layerOf.get(id) ?? 0
    layerOf.set(id, layer)
    for (const [index, { target }] of (boxes.get(id)?.ports ?? []).entries())
      if (target !== undefined && boxes.has(target) && !back.has(`${id}:${index}`))
        layerOf.set(target, Math.max(layerOf.get(target) ?? 0, layer + 1))
  }
  return layerOf
}

function append(links: Map<Cell, Link[]>, cell: Cell, one: Link): void {
  const known = links.get(cell)
  if (known === undefined) links.set(cell, [one])
  else known.push(one)
}
