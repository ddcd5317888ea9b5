import type { Problem } from '@engine/authoring'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'

/** Duration of the measurement of the control's latencies in seconds, before answers have a limit. */
const CALIBRATION_SECONDS = 60

/** For each environment, the canary stages without a latency guard: they end before the measurement. */
export function stageWarnings(environments: readonly EnvironmentRow[]): readonly Problem[] {
  return environments.flatMap((environment): readonly Problem[] => {
    const { stages } = canaryOf(environment)
    const measured = stages.findIndex(({ duration_s }) => duration_s >= CALIBRATION_SECONDS)
    const unguarded = measured < 0 ? stages.length : measured
    if (unguarded === 0) return []
    const which = unguarded === 1 ? 'the first stage' : `the first ${unguarded} stages`
    return [
      {
        path: '/environments',
        message: `${which} of the canary in \`${environment.name}\` ${unguarded === 1 ? 'has' : 'have'} no guard of latency: the first minute is measured`,
        code: 'no_latency_guard',
        severity: 'warning',
      },
    ]
  })
}
