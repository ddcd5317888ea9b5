/** A linear scale from values to units of a drawing. */
export const scaleOf =
  (from: number, to: number, start: number, end: number) =>
  (value: number): number =>
    from === to ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start)

/** The path of a line through points. Linear in the points. */
export function lineOf(points: readonly (readonly [x: number, y: number])[]): string {
  let path = ''
  for (const [index, [x, y]] of points.entries()) path += `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  return path
}

/** The path of a band between two lines. */
export const bandOf = (
  upper: readonly (readonly [x: number, y: number])[],
  lower: readonly (readonly [x: number, y: number])[],
): string => (upper.length === 0 ? '' : `${lineOf(upper)}${lineOf(lower.toReversed()).replace('M', 'L')}Z`)

/** Bars as one path, so that a chart has one element per series instead of one per value. */
export function barsOf(
  bars: readonly { readonly x: number; readonly y: number; readonly width: number; readonly height: number }[],
): string {
  let path = ''
  for (const { x, y, width, height } of bars)
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}Z`
  return path
}

/** The step of an axis with about `most` lines: 1, 2 or 5 times a power of ten. */
function stepOf(span: number, most: number): number {
  const rough = span / most
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999) ?? rough
}

/** Round axis values around 0 that enclose a range, for an axis of differences. */
export function ticksAround(low: number, high: number, most = 3): readonly number[] {
  const [least, largest] = [Math.min(0, low), Math.max(0, high)]
  if (least === largest) return [-1, 0, 1]
  const step = stepOf(largest - least, most)
  const [first, last] = [Math.floor(least / step + 1e-9), Math.ceil(largest / step - 1e-9)]
  // Floating-point products of a step such as 0.1 have extra digits.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}
