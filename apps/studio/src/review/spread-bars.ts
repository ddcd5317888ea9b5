import type { SpreadBar } from '../ui/small-charts.tsx'
import type { ReplaySummary } from './release-parts.ts'

type Amount = ReplaySummary['amounts'][number]

/** Maximum number of bars, not counting unchanged decisions. */
const MAX_BARS = 6

/** Changes of a number as bars: the most frequent changes, and on each side one bar for all others. */
export function spreadBars(
  { count, spread = [] }: Pick<Amount, 'count' | 'spread'>,
  words: {
    readonly change: (change: number) => string
    readonly same: string
    readonly less: string
    readonly more: string
  },
): readonly SpreadBar[] {
  const changed = spread.reduce((sum, one) => sum + one.count, 0)
  const frequent = new Set(
    spread
      .toSorted((one, other) => other.count - one.count)
      .slice(0, spread.length > MAX_BARS ? MAX_BARS - 2 : MAX_BARS)
      .map(({ change }) => change),
  )
  const named = spread
    .filter(({ change }) => frequent.has(change))
    .map((one) => ({ at: one.change, name: words.change(one.change), count: one.count }))
  const rest = (side: -1 | 1) =>
    spread
      .filter(({ change }) => !frequent.has(change) && Math.sign(change) === side)
      .reduce((sum, one) => sum + one.count, 0)
  const all = [
    { at: -Infinity, name: words.less, count: rest(-1) },
    { at: 0, name: words.same, count: count - changed, isSame: true },
    { at: Infinity, name: words.more, count: rest(1) },
    ...named,
  ]
  return all
    .filter((one) => one.count > 0 || one.at === 0)
    .toSorted((one, other) => one.at - other.at)
    .map(({ at: _, ...bar }) => bar)
}
