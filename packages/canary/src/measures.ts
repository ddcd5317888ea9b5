import { evidence, type Interval, MORE } from './evidence.ts'
import type { ExpectedTransition } from './expected.ts'
import { rateRatio, type RateRatio } from './rate-ratio.ts'
import { alarmOf, codesOf, evidencesOf, intervalsOf, shown, type Sides, type StageCounts, totals } from './verdict.ts'

/** A compared measure: counts of both sides, and the evidence that the candidate is worse. */
export interface Measure extends Sides {
  /** Evidence that the candidate is worse; 1 for none. */
  readonly e: number
  /** The value of `e` from which it is an alarm. */
  readonly alarm: number
  /**
   * The number of the candidate's events from which it is an alarm, with the control's unchanged; null if there is
   * none.
   */
  readonly alarm_at: number | null
  readonly ratio: RateRatio
}

/** The state of all guards of a rollout, for people. */
export interface Measures {
  readonly requests: Sides
  readonly errors: Measure
  readonly latency: Measure
  readonly codes: { readonly e: number; readonly alarm: number; readonly counts: Readonly<Record<string, Sides>> }
}

/**
 * The measures that a verdict compares, over all stages.
 *
 * @param stages all of this rollout so far, the current one last
 * @param alpha the accepted rate of false alarms
 * @param expected changes of results that add no evidence
 */
export function measuresOf(
  stages: readonly StageCounts[],
  alpha: number,
  expected: readonly ExpectedTransition[] = [],
): Measures {
  const evidences = evidencesOf(stages, expected)
  const measure = (guard: 'errors' | 'latency', sidesOf: (stage: StageCounts) => Sides): Measure => {
    const intervals = intervalsOf(stages, sidesOf)
    return {
      ...totals(intervals),
      e: shown(evidences[guard]),
      alarm: shown(alarmOf(guard, alpha)),
      alarm_at: alarmAt(intervals, alarmOf(guard, alpha)),
      ratio: rateRatio(intervals),
    }
  }
  return {
    requests: totals(intervalsOf(stages, ({ requests }) => requests)),
    errors: measure('errors', ({ errors }) => errors),
    latency: measure('latency', ({ slow }) => slow),
    codes: { e: shown(evidences.codes), alarm: shown(alarmOf('codes', alpha)), counts: codesOf(stages) },
  }
}

/** An upper bound: more events than any stage counts. */
const MAX_EVENTS = 2 ** 40

/**
 * The number of the candidate's events over all stages from which the evidence is an alarm, if further ones were
 * counted now. The evidence grows with each event of the candidate, so a binary search finds the number in about 80
 * evaluations.
 */
function alarmAt(intervals: readonly Interval[], alarm: number): number | null {
  const last = intervals.at(-1)
  if (last === undefined) return null
  const isAlarm = (more: number) =>
    evidence([...intervals.slice(0, -1), { ...last, canary: last.canary + more }], MORE) >= alarm
  let high = 1
  while (!isAlarm(high)) {
    high *= 2
    if (high > MAX_EVENTS) return null
  }
  let low = 0
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isAlarm(middle)) high = middle
    else low = middle + 1
  }
  return totals(intervals).canary + low
}
