import type { Cell, Layered, Link } from './layers.ts'

const GAP = 24
const SWEEPS = 8
/** Passing edges bend less readily than boxes move. */
const STRAIGHT = 3

/**
 * Give each cell its height among the others of its layer: as near to the wish of its neighbours as the order and the
 * gaps allow. For one layer that is an isotonic regression, by pooling adjacent violators; costs the links for each
 * sweep.
 */
export function settleHeights({ layers, down, up }: Layered): void {
  for (const layer of layers) {
    let y = 0
    for (const cell of layer) {
      cell.y = y
      y += cell.height + GAP
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0
    const near = isDown ? up : down
    for (const layer of isDown ? layers : layers.toReversed())
      settle(layer, (cell) => wishOf(cell, near.get(cell), isDown))
  }
}

/** The mean of the places that the neighbours of a cell wish for it. */
function wishOf(cell: Cell, links: readonly Link[] | undefined, isDown: boolean): number {
  const wishes = (links ?? []).map(({ from, to, outY, inY }) => (isDown ? from.y + outY - inY : to.y + inY - outY))
  wishes.sort((left, right) => left - right)
  return wishes[wishes.length >> 1] ?? cell.y
}

interface Block {
  readonly total: number
  readonly weight: number
  readonly size: number
}

const mean = ({ total, weight }: Block) => total / weight

function settle(layer: readonly Cell[], wish: (cell: Cell) => number): void {
  const offsets: number[] = []
  let sum = 0
  const blocks: Block[] = []
  for (const cell of layer) {
    offsets.push(sum)
    const weight = cell.isBox ? 1 : STRAIGHT
    let block: Block = { total: (wish(cell) - sum) * weight, weight, size: 1 }
    for (let above = blocks.at(-1); above !== undefined && mean(above) > mean(block); above = blocks.at(-1)) {
      blocks.pop()
      block = { total: above.total + block.total, weight: above.weight + block.weight, size: above.size + block.size }
    }
    blocks.push(block)
    sum += cell.height + GAP
  }
  let at = 0
  for (const block of blocks)
    for (let count = 0; count < block.size; count++, at++) {
      const cell = layer[at]
      if (cell !== undefined) cell.y = mean(block) + (offsets[at] ?? 0)
    }
}
