/** A difference of two shares with its confidence interval, in percentage points. */
export interface Difference {
  readonly low: number
  readonly estimate: number
  readonly high: number
}

/** The normal quantile for 95 % confidence. */
const Z = 1.959_963_984_540_054

/** Wilson's score interval of a share, 95 %. */
export function wilson(hits: number, total: number): readonly [low: number, high: number] {
  const share = hits / total
  const scale = 1 + (Z * Z) / total
  const middle = share + (Z * Z) / (2 * total)
  const spread = Z * Math.sqrt((share * (1 - share)) / total + (Z * Z) / (4 * total * total))
  return [(middle - spread) / scale, (middle + spread) / scale]
}

/**
 * The share of the candidate minus that of the live version, in points, with Newcombe's hybrid score interval of 95 %
 * (method 10 of "Interval estimation for the difference between independent proportions", 1998). For display only: the
 * evidence decides a stage. Undefined if a side has no requests.
 */
export function differenceOf(
  hits: { readonly canary: number; readonly stable: number },
  requests: { readonly canary: number; readonly stable: number },
): Difference | undefined {
  if (requests.canary === 0 || requests.stable === 0) return undefined
  // The first event of a key may be counted in a different stage than its request.
  const [canary, stable] = [Math.min(hits.canary, requests.canary), Math.min(hits.stable, requests.stable)]
  const [one, other] = [canary / requests.canary, stable / requests.stable]
  const [oneLow, oneHigh] = wilson(canary, requests.canary)
  const [otherLow, otherHigh] = wilson(stable, requests.stable)
  const estimate = one - other
  return {
    low: 100 * (estimate - Math.hypot(one - oneLow, otherHigh - other)),
    estimate: 100 * estimate,
    high: 100 * (estimate + Math.hypot(oneHigh - one, other - otherLow)),
  }
}
