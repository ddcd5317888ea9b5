import { rateRatio, type RateRatio } from './rate-ratio.ts'
import { alarmOf, codesOf, evidencesOf, intervalsOf, shown, type Sides, type StageCounts, totals } from './verdict.ts'

/** A compared measure: counts of both sides, and the evidence that the candidate is worse. */
export interface Measure extends Sides {
  /** Evidence that the candidate is worse; 1 for none. */
  readonly e: number
  /** From this `e` on it is an alarm. */
  readonly alarm: number
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
 * @param stages all of this rollout so far, the present one last
 * @param alpha the accepted rate of false alarms
 */
export function measuresOf(stages: readonly StageCounts[], alpha: number): Measures {
  const evidences = evidencesOf(stages)
  const measure = (guard: 'errors' | 'latency', sidesOf: (stage: StageCounts) => Sides): Measure => {
    const intervals = intervalsOf(stages, sidesOf)
    return {
      ...totals(intervals),
      e: shown(evidences[guard]),
      alarm: shown(alarmOf(guard, alpha)),
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
