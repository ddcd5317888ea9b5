import { evidence, type Interval } from './evidence.ts'

/** The ratio of the candidate's event rate to the control's, with the ratios that the counts do not rule out. */
export interface RateRatio {
  /** Null if the control has no event, so that there is no ratio. */
  readonly estimate: number | null
  /** 0 if there is no lower bound. */
  readonly low: number
  /** Null if there is no upper bound. */
  readonly high: number | null
}

/** Evidence against a ratio that rules it out: the interval holds with 95 % at all looks together. */
const RULED_OUT = Math.log(20)
/** Limits of the search for a bound, and its number of bisections. */
const [LEAST, MOST, HALVINGS] = [1 / 256, 256, 12]
/** Alternatives to a tested ratio, as multiples of it. */
const MULTIPLES: readonly number[] = [0.02, 0.1, 0.25, 0.5, 0.66, 0.8, 0.9, 1.1, 1.25, 1.5, 2, 4, 10, 50]

/**
 * The ratio of the rates, and its confidence sequence: the ratios against which there is no evidence, by the same
 * martingale as the guards. It may be evaluated at any number of looks. Takes about 400 steps per interval.
 *
 * @param intervals intervals of the stages so far
 */
export function rateRatio(intervals: readonly Interval[]): RateRatio {
  // Mantel and Haenszel: the odds of the sides, weighted by the shares.
  const mine = sum(intervals.map(({ canary, share }) => canary * (1 - share)))
  const theirs = sum(intervals.map(({ stable, share }) => stable * share))
  const estimate = theirs === 0 ? null : mine / theirs
  const middle = Math.min(MOST, Math.max(LEAST, estimate ?? (mine === 0 ? 1 : MOST)))
  const isRuledOut = (ratio: number) =>
    evidence(
      intervals,
      MULTIPLES.map((multiple) => multiple * ratio),
      ratio,
    ) >= RULED_OUT
  return {
    estimate,
    low: isRuledOut(LEAST) ? bound(isRuledOut, LEAST, middle) : 0,
    high: isRuledOut(MOST) ? bound(isRuledOut, MOST, middle) : null,
  }
}

/** The last excluded ratio between an outer one, which is excluded, and an inner one, which is not. */
function bound(isRuledOut: (ratio: number) => boolean, outer: number, inner: number): number {
  let [out, possible] = [outer, inner]
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = Math.sqrt(out * possible)
    if (isRuledOut(middle)) out = middle
    else possible = middle
  }
  return Number(out.toPrecision(3))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
