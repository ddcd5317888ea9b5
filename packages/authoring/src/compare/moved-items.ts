/**
 * The smallest set of ids to move that brings the common ids into the second list's order: those outside a longest
 * increasing subsequence of their previous positions. Found by binary search over the smallest last positions of
 * subsequences of each length (Fredman 1975). Costs n log n for n ids.
 */
export function movedItems(before: readonly string[], after: readonly string[]): readonly string[] {
  const places = new Map(before.map((id, index) => [id, index]))
  const kept = after.flatMap((id) => {
    const place = places.get(id)
    return place === undefined ? [] : [{ id, place }]
  })
  const resting = longestIncreasing(kept.map(({ place }) => place))
  return kept.filter((_item, index) => !resting.has(index)).map(({ id }) => id)
}

/** Indexes of a longest increasing subsequence. */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest number that ends such a subsequence. */
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const end = ends[middle]
      if (end !== undefined && (numbers[end] ?? 0) < number) low = middle + 1
      else high = middle
    }
    previous.push(ends[low - 1])
    ends[low] = index
  }
  const found = new Set<number>()
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) found.add(index)
  return found
}
