import { isObject } from '@engine/expression'
import type { ReleaseEvent } from '../api/release-events.ts'
import type { components } from '../api/schema.ts'
import type { RolloutTexts } from '../texts/en/rollout.ts'
import type { RangeAt } from '../ui/time-charts.tsx'
import { type Difference, differenceOf } from './difference.ts'

export type Execution = components['schemas']['ReleaseExecution']
export type CanaryProgress = components['schemas']['CanaryProgress']
export type Stage = CanaryProgress['stages'][number]
export type Measures = NonNullable<CanaryProgress['measures']>
export type Measure = Measures['errors']
/** A change of result that does not hold a stage. */
export type ExpectedTransition = Execution['expected'][number]
export type Sides = Measures['requests']

/** The state of a part of a rollout, shown as a mark. */
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
    // A stage has passed if another one began after it, or the content was delivered to all engines.
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

/** A duration in words, with at most two units. */
export function spanText(milliseconds: number, units: RolloutTexts['units']): string {
  const left = Math.max(0, milliseconds)
  if (left < MINUTE) return units.s(Math.ceil(left / SECOND))
  if (left < HOUR) return units.min(Math.ceil(left / MINUTE))
  if (left < DAY) return units.h(Math.floor(left / HOUR), Math.floor((left % HOUR) / MINUTE))
  return units.d(Math.floor(left / DAY), Math.floor((left % DAY) / HOUR))
}

/** Whether a guard objects, because its evidence has reached the alarm threshold. */
export const isAlarm = ({ e, alarm }: { readonly e: number; readonly alarm: number }): boolean => e >= alarm

/** Whether any guard objects to a candidate. */
export const hasAlarm = ({ errors, latency, codes }: Measures): boolean => [errors, latency, codes].some(isAlarm)

/** Progress of the evidence towards the alarm, from 0 to 1, on a logarithmic scale because evidence multiplies. */
export const alarmShare = ({ e, alarm }: { readonly e: number; readonly alarm: number }): number =>
  Math.min(1, Math.max(0, Math.log(e) / Math.log(alarm)))

/** Minimum number of requests on each side; below it a measure is still being collected. */
const MIN_REQUESTS = 30

/** The state of a measure: too few requests, no alarm, or alarm. */
export type MeasureState = 'collecting' | 'safe' | 'alarm'

export function measureState(
  measure: { readonly e: number; readonly alarm: number },
  { canary, stable }: Sides,
): MeasureState {
  if (isAlarm(measure)) return 'alarm'
  return canary < MIN_REQUESTS || stable < MIN_REQUESTS ? 'collecting' : 'safe'
}

/** The counts at a verdict or at present. */
interface Looked {
  readonly at: number
  readonly requests: Sides
  readonly measures: { readonly [name in 'errors' | 'latency']: Sides } & {
    readonly codes: Readonly<Record<string, Sides>>
  }
}

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const sidesOf = (value: unknown): Sides =>
  isObject(value) ? { canary: countOf(value['canary']), stable: countOf(value['stable']) } : { canary: 0, stable: 0 }

/** The looks at the canary of an environment: each reported verdict, and the present counts. */
export function looksOf(
  events: readonly ReleaseEvent[],
  { environment, measures }: CanaryProgress,
  now: number,
): readonly Looked[] {
  const earlier = events
    .filter((event) => event.type === 'stage_verdict' && event.environment === environment)
    .map(({ at, data }): Looked => {
      const codes = isObject(data['codes']) && isObject(data['codes']['counts']) ? data['codes']['counts'] : {}
      return {
        at: Date.parse(at),
        requests: sidesOf(data['requests']),
        measures: {
          errors: sidesOf(data['errors']),
          latency: sidesOf(data['latency']),
          codes: Object.fromEntries(Object.entries(codes).map(([code, sides]) => [code, sidesOf(sides)])),
        },
      }
    })
  if (measures === null) return earlier
  const { requests, errors, latency, codes } = measures
  // The clock of this page may lag behind that of the platform.
  const at = Math.max(now, earlier.at(-1)?.at ?? now)
  return [...earlier, { at, requests, measures: { errors, latency, codes: codes.counts } }]
}

/** A difference over time. @param hitsOf the counts whose shares are compared */
export const rangesOf = (
  looks: readonly Looked[],
  hitsOf: (measures: Looked['measures']) => Sides | undefined,
): readonly RangeAt[] =>
  looks.flatMap(({ at, requests, measures }) => {
    const difference = differenceOf(hitsOf(measures) ?? { canary: 0, stable: 0 }, requests)
    return difference === undefined ? [] : [{ at, ...difference }]
  })

/** The difference in percentage points at which a guard would object, given the present counts of the live version. */
export function limitOf({ alarm_at: at, stable }: Measure, requests: Sides): number | undefined {
  if (at === null || requests.canary === 0 || requests.stable === 0 || at > requests.canary) return undefined
  return 100 * (at / requests.canary - stable / requests.stable)
}

/** The shares of one result code. */
export interface CodeShares {
  readonly code: string
  readonly live: number
  readonly candidate: number
  readonly difference: Difference
  /** The difference in percentage points predicted from recorded decisions. */
  readonly predicted: number | undefined
}

/** Result codes by size of their shift, largest first. */
export function codeShares({ predicted }: CanaryProgress, { counts }: Measures['codes']): readonly CodeShares[] {
  const all = Object.entries(counts)
  const sum = (side: 'canary' | 'stable') => all.reduce((total, [, sides]) => total + sides[side], 0)
  const requests = { canary: sum('canary'), stable: sum('stable') }
  const replayed = predicted?.replayed ?? 0
  return all
    .flatMap(([code, hits]) => {
      const difference = differenceOf(hits, requests)
      if (difference === undefined) return []
      const expected = predicted?.codes[code]
      return [
        {
          code,
          live: hits.stable / requests.stable,
          candidate: hits.canary / requests.canary,
          difference,
          predicted: replayed === 0 ? undefined : (100 * ((expected?.after ?? 0) - (expected?.before ?? 0))) / replayed,
        },
      ]
    })
    .toSorted(
      (one, other) =>
        Math.abs(other.difference.estimate) - Math.abs(one.difference.estimate) || (one.code < other.code ? -1 : 1),
    )
}

/** True if recorded decisions predict every shift of a code. */
export const isPredicted = (shares: readonly CodeShares[]): boolean =>
  shares.every(
    ({ predicted, difference: { low, high } }) => predicted !== undefined && predicted >= low && predicted <= high,
  )

/** An event prepared for display. */
export interface ReadableEvent {
  readonly event: ReleaseEvent
  /** Number of omitted consecutive looks with the same result. */
  readonly earlier: number
  /** The share of the current stage in percent. */
  readonly percent: number | undefined
  /** Milliseconds since the content was sent to the engine. */
  readonly after: number | undefined
}

/** Transient states of engines: the next one is reported soon. */
const PASSING: ReadonlySet<unknown> = new Set(['pending', 'delivering', 'verifying'])

/** Events for display, newest first; consecutive looks with the same result are merged. */
export function readableEvents(events: readonly ReleaseEvent[]): readonly ReadableEvent[] {
  const shown: (ReadableEvent & { earlier: number })[] = []
  const sent = new Map<string, number>()
  let percent: number | undefined
  for (const event of events) {
    const { type, data, server_id: server = '' } = event
    if (type === 'stage_started') percent = countOf(data['percent'])
    if (type === 'environment_started' || type === 'environment_completed') percent = undefined
    if (type === 'server_state' && PASSING.has(data['to'])) {
      if (!sent.has(server)) sent.set(server, Date.parse(event.at))
      continue
    }
    const begun = type === 'server_state' ? sent.get(server) : undefined
    if (type === 'server_state') sent.delete(server)
    const after = begun === undefined ? undefined : Date.parse(event.at) - begun
    const last = shown.at(-1)
    const isSame = last !== undefined && isSameLook(last.event, event)
    if (isSame) shown.pop()
    shown.push({ event, earlier: isSame ? last.earlier + 1 : 0, percent, after })
  }
  return shown.toReversed()
}

const isSameLook = (one: ReleaseEvent, other: ReleaseEvent): boolean =>
  one.type === 'stage_verdict' &&
  other.type === 'stage_verdict' &&
  one.environment === other.environment &&
  one.data['decision'] === other.data['decision'] &&
  one.data['reason'] === other.data['reason']

export type ServerState = Execution['servers'][number]

/** The engines of an environment, and their contents. */
export interface EngineContents {
  readonly environment: string
  readonly servers: readonly ServerState[]
  /** Number of engines with the most common content. */
  readonly alike: number
}

/** Engines by environment, in the order of the environments. */
export function enginesOf(servers: readonly ServerState[]): readonly EngineContents[] {
  return [...Map.groupBy(servers, ({ environment }) => environment)].map(([environment, group]) => {
    const contents = Map.groupBy(
      group.filter(({ digest }) => digest !== null),
      ({ digest }) => digest,
    )
    const alike = [...contents.values()].reduce((most, one) => Math.max(most, one.length), 0)
    return { environment, servers: group, alike }
  })
}

/** The progress of a rollout relative to an environment. */
export type EnvironmentState = 'coming' | 'here' | 'done'

/** The state of an environment according to the events of a rollout. */
export function environmentState(
  name: string,
  { environment, status }: Execution,
  events: readonly ReleaseEvent[],
): EnvironmentState {
  const has = (type: ReleaseEvent['type']) => events.some((one) => one.type === type && one.environment === name)
  if (status === 'completed' || has('environment_completed')) return 'done'
  return environment === name || has('environment_started') ? 'here' : 'coming'
}
