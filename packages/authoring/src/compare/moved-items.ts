/**
 * The fewest ids that have to move so that those which both lists have come into the order of the second: what is not in a
 * longest increasing subsequence of their earlier places. That is found by binary search in the smallest last places of
 * subsequences of each length (Fredman 1975). Costs the ids, times the logarithm of their number.
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
  /** For each length the index of the smallest number that such a subsequence ends with. */
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
