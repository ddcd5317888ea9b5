/** A source of numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** The same numbers for the same seed on every machine (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability
}

/** An integer from `low` to `high`, both inclusive. */
export function inRange(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: random() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
}

/** From `low` to `high` of the items, each at most once, in random order. */
export function some<T>(random: Random, items: readonly T[], low: number, high: number): T[] {
  return shuffled(random, items).slice(0, inRange(random, low, Math.min(high, items.length)))
}
