/** Things by number, the smallest first. */
export class Queue<One> {
  readonly #heap: { readonly rank: number; readonly one: One }[] = []

  add(rank: number, one: One): void {
    const heap = this.#heap
    let at = heap.length
    heap.push({ rank, one })
    for (let parent = (at - 1) >> 1; at > 0; at = parent, parent = (at - 1) >> 1) {
      if ((heap[parent]?.rank ?? 0) <= rank) break
      swap(heap, at, parent)
    }
  }

  next(): One | undefined {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first?.one
    heap[0] = last
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = at
      if ((heap[left]?.rank ?? Infinity) < (heap[least]?.rank ?? Infinity)) least = left
      if ((heap[right]?.rank ?? Infinity) < (heap[least]?.rank ?? Infinity)) least = right
      if (least === at) return first.one
      swap(heap, at, least)
      at = least
    }
  }
}

function swap(list: unknown[], left: number, right: number): void {
  const kept = list[left]
  list[left] = list[right]
  list[right] = kept
}
