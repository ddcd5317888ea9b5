/**
 * Events of one kind on both sides of a split, during a period in which the candidate had a constant share of the units
 * that could cause one.
 */
export interface Interval {
  /** Share of the candidate, above 0 and at most 1. */
  readonly share: number
  readonly canary: number
  readonly stable: number
}

/** Ratios of the candidate's rate to the control's that the test for an alarm considers. */
export const MORE: readonly number[] = [1.25, 1.5, 2, 3, 5, 10, 30]
/** The same for result codes, which may become rarer or more frequent. */
export const LESS_OFTEN: readonly number[] = [0.25, 0.5, 0.66, 0.8, 0.9]
export const MORE_OFTEN: readonly number[] = [1.1, 1.25, 1.5, 2, 4]
export const OTHER: readonly number[] = [...LESS_OFTEN, ...MORE_OFTEN]
/** Ratios tested to show that a rate has less than doubled. */
export const LESS_THAN_DOUBLE: readonly number[] = [0.5, 1, 1.2, 1.5]

/**
 * The natural logarithm of the evidence that the candidate's rate of events is not `tolerated` times that of the
 * control.
 *
 * When the ratio is `tolerated`, an event belongs to the candidate with the probability given by its share, whatever
 * the base rate is and however it changes. The evidence is the mean over `ratios` of the likelihood ratios of that
 * coin: a nonnegative martingale of mean 1, which exceeds 1/alpha at any time with a probability of at most alpha
 * (Ville). It needs only the counts; its cost is the number of intervals times that of ratios.
 */
export function evidence(intervals: readonly Interval[], ratios: readonly number[], tolerated = 1): number {
  return logMeanExp(ratios.map((ratio) => sum(intervals.map((interval) => logLikelihood(interval, ratio, tolerated)))))
}

function logLikelihood({ share, canary, stable }: Interval, ratio: number, tolerated: number): number {
  const scale = (ratio * share + 1 - share) / (tolerated * share + 1 - share)
  return canary * Math.log(ratio / tolerated) - (canary + stable) * Math.log(scale)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** The logarithm of the mean of exponentials, without overflow. */
export function logMeanExp(logs: readonly number[]): number {
  const most = Math.max(...logs)
  return most + Math.log(sum(logs.map((one) => Math.exp(one - most))) / logs.length)
}
