import type { components } from '../api/schema.ts'
import type { ReleaseEvent } from '../api/release-events.ts'
import type { RolloutTexts } from '../texts/en/rollout.ts'

export type Execution = components['schemas']['ReleaseExecution']
export type CanaryProgress = components['schemas']['CanaryProgress']
export type Stage = CanaryProgress['stages'][number]
export type Measures = NonNullable<CanaryProgress['measures']>
export type Measure = Measures['errors']

/** The state of a stage, for its mark. */
export type StageState = keyof RolloutTexts['begunStates']

/** The state of a stage of an execution. @param next the stage after it */
export function stateOf(
  { begun_at: begun, ended_at: ended, index }: Stage,
  environment: string,
  execution: Execution,
  next: Stage | undefined,
): StageState {
  if (begun === null) return 'coming'
  const isHere = execution.environment === environment && execution.stage?.index === index && ended === null
  if (!isHere) {
    // A stage is passed when another one began after it, or the content went to all engines.
    const wasLast = next === undefined || next.begun_at === null
    const wentOn =
      execution.environment !== environment ||
      (execution.status !== 'cancelled' && execution.step !== 'canary' && execution.step !== 'preflight')
    return !wasLast || wentOn ? 'passed' : 'ended'
  }
  if (execution.status === 'paused') return 'paused'
  return execution.stage?.verdict?.decision === 'hold' ? 'held' : 'running'
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000] as const

/** A span in words, with at most two units. */
export function spanText(milliseconds: number, units: RolloutTexts['units']): string {
  const left = Math.max(0, milliseconds)
  if (left < MINUTE) return units.s(Math.ceil(left / SECOND))
  if (left < HOUR) return units.min(Math.ceil(left / MINUTE))
  if (left < DAY) return units.h(Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE))
  return units.d(Math.floor(left / DAY), Math.floor((left % DAY) / HOUR))
}

/** Whether a guard objects: its evidence has reached the alarm. */
export const isAlarm = ({ e, alarm }: { readonly e: number; readonly alarm: number }): boolean => e >= alarm

/** Whether any guard objects to a candidate. */
export const hasAlarm = ({ errors, latency, codes }: Measures): boolean => [errors, latency, codes].some(isAlarm)

/** How far evidence is on its way to the alarm, from 0 to 1: evidence multiplies, so that its logarithm counts. */
export const alarmShare = ({ e, alarm }: { readonly e: number; readonly alarm: number }): number =>
  Math.min(1, Math.max(0, Math.log(e) / Math.log(alarm)))

/** Events for reading: newest first; looks in a row with the same result are one, with the number of the others. */
export function readableEvents(
  events: readonly ReleaseEvent[],
): readonly { readonly event: ReleaseEvent; readonly earlier: number }[] {
  const shown: { event: ReleaseEvent; earlier: number }[] = []
  for (const event of events.toReversed()) {
    const last = shown.at(-1)
    if (last !== undefined && isSameLook(last.event, event)) last.earlier++
    else shown.push({ event, earlier: 0 })
  }
  return shown
}

const isSameLook = (one: ReleaseEvent, other: ReleaseEvent): boolean =>
  one.type === 'stage_verdict' &&
  other.type === 'stage_verdict' &&
  one.environment === other.environment &&
  one.data['decision'] === other.data['decision'] &&
  one.data['reason'] === other.data['reason']

export type ServerState = Execution['servers'][number]

/** Engines with the same content and state in an environment. */
export interface EngineGroup {
  readonly environment: string
  readonly status: ServerState['status']
  readonly digest: string | null
  readonly servers: readonly ServerState[]
}

/** Engines by content and state, in the order of the environments. */
export function engineGroups(servers: readonly ServerState[]): readonly EngineGroup[] {
  const groups = Map.groupBy(servers, ({ environment, status, digest }) => `${environment} ${status} ${digest}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined
      ? []
      : [{ environment: first.environment, status: first.status, digest: first.digest, servers: group }]
  })
}
