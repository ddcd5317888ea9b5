import type { Problem } from '@engine/authoring'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'

/** Seconds for which the control's latencies are measured, before there is a limit that answers are held to. */
const MEASURED_S = 60

/** Of each environment, the stages of its canary that have no guard of latency: they end before anything is measured. */
export function stageWarnings(environments: readonly EnvironmentRow[]): readonly Problem[] {
  return environments.flatMap((environment): readonly Problem[] => {
    const { stages } = canaryOf(environment)
    const measured = stages.findIndex(({ duration_s }) => duration_s >= MEASURED_S)
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
