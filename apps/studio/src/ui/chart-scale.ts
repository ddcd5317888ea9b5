/** Grid lines from 0 to the first one that is at least the highest value. */
export function ticksTo(highest: number, most = 4): readonly number[] {
  if (highest <= 0) return [0, 1]
  const rough = highest / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough)
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step)
}

/** Adds zero counts for intervals that a history omits because they are empty. */
export function filled(
  points: readonly { readonly at: string; readonly value: number }[],
  times: readonly number[],
): readonly number[] {
  const known = new Map(points.map(({ at, value }) => [Date.parse(at), value]))
  return times.map((time) => known.get(time) ?? 0)
}

/** The start of each interval of a time range, in epoch milliseconds. */
export function timesOf(from: number, to: number, stepMs: number): readonly number[] {
  const first = Math.ceil(from / stepMs) * stepMs
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / stepMs) + 1) },
    (_, index) => first + index * stepMs,
  )
}

/** Values at the times of a chart. */
export interface Series {
  readonly name: string
  readonly values: readonly number[]
}

/** The largest series, and one series with the sum of the others. */
export function largest(series: readonly Series[], most: number, others: string): readonly Series[] {
  const sum = ({ values }: Series) => values.reduce((total, value) => total + value, 0)
  const sorted = series.toSorted((left, right) => sum(right) - sum(left))
  if (sorted.length <= most) return sorted
  const rest = sorted.slice(most - 1)
  const values = (rest[0]?.values ?? []).map((_, index) =>
    rest.reduce((total, one) => total + (one.values[index] ?? 0), 0),
  )
  return [...sorted.slice(0, most - 1), { name: others, values }]
}

/** The sums of several series at each position. */
export const sums = (series: readonly { readonly values: readonly number[] }[], count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0))

/** Indexes of the first and the last point of a range of a chart. */
export type PointRange = readonly [number, number]

/** Two indexes in ascending order, clamped to the points of a chart. */
export function rangeOf(one: number, other: number, count: number): PointRange {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index))
  return [within(Math.min(one, other)), within(Math.max(one, other))]
}
