/** A box to place; its ports lead to other boxes, in the order of branches. */
export interface Box {
  readonly id: string
  readonly width: number
  readonly height: number
  /** True for a result, which is placed next to the branch that leads to it. */
  readonly isResult: boolean
  readonly ports: readonly { readonly y: number; readonly target: string | undefined }[]
}

type Boxes = ReadonlyMap<string, Box>

/** Boxes in topological order; back edges are omitted from `forward`. */
export interface Ordered {
  readonly order: readonly string[]
  /** Distinct targets of a box in port order, without results and back edges. */
  readonly forward: ReadonlyMap<string, readonly string[]>
  readonly reached: ReadonlySet<string>
}

/**
 * The boxes in topological order, depth first from the entry; `reached` contains those reachable from the entry.
 * Iterative, since a graph may be deep. Linear in the number of ports.
 */
export function orderBoxes(boxes: Boxes, entry: string | undefined): Ordered {
  const state = new Map<string, 'open' | 'done'>()
  const forward = new Map<string, string[]>()
  const done: string[] = []
  const visit = (start: string) => {
    const stack = [{ id: start, at: 0 }]
    state.set(start, 'open')
    forward.set(start, [])
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const port = boxes.get(top.id)?.ports[top.at++]
      if (port === undefined) {
        state.set(top.id, 'done')
        done.push(top.id)
        stack.pop()
        continue
      }
      const { target } = port
      if (target === undefined || boxes.get(target)?.isResult !== false || state.get(target) === 'open') continue
      const targets = forward.get(top.id)
      if (targets?.includes(target) === false) targets.push(target)
      if (state.has(target)) continue
      state.set(target, 'open')
      forward.set(target, [])
      stack.push({ id: target, at: 0 })
    }
  }
  if (entry !== undefined && boxes.get(entry)?.isResult === false) visit(entry)
  const reached = new Set(done)
  for (const [id, { isResult }] of boxes) if (!isResult && !state.has(id)) visit(id)
  return { order: done.reverse(), forward, reached }
}

/** The length of the longest path from the entry to each reachable box, in edges. */
export function longestWays({ order, forward, reached }: Ordered): ReadonlyMap<string, number> {
  const layers = new Map<string, number>()
  for (const id of order) {
    if (!reached.has(id)) continue
    const layer = layers.get(id) ?? 0
    layers.set(id, layer)
    for (const target of forward.get(id) ?? []) layers.set(target, Math.max(layers.get(target) ?? 0, layer + 1))
  }
  return layers
}

/**
 * Chains of boxes that share a lane: each continues with the branch that has the most following boxes; of equal ones,
 * the later branch.
 */
export function chainsOf({ order, forward, reached }: Ordered, entry: string): readonly (readonly string[])[] {
  const behind = new Map<string, number>()
  for (const id of order.toReversed())
    behind.set(id, 1 + Math.max(0, ...(forward.get(id) ?? []).map((target) => behind.get(target) ?? 0)))
  const placed = new Set<string>()
  const chains: string[][] = []
  const heads = [entry]
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    if (placed.has(head) || !reached.has(head)) continue
    const chain: string[] = []
    for (let id: string | undefined = head; id !== undefined;) {
      placed.add(id)
      chain.push(id)
      const free: string[] = (forward.get(id) ?? []).filter((target) => !placed.has(target))
      const next = free.reduce<string | undefined>(
        (best, one) => (best === undefined || (behind.get(one) ?? 0) >= (behind.get(best) ?? 0) ? one : best),
        undefined,
      )
      heads.push(...free.filter((one) => one !== next).reverse())
      id = next
    }
    chains.push(chain)
  }
  return chains
}
