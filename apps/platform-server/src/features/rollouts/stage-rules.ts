import type { StageRule, Verdict } from '@engine/canary'
import type { CanarySettings } from '../projects/model.ts'
import type { Progress, Stage } from './rollout-state.ts'

/** Interval of checks of a stage. */
export const POLL_INTERVAL_MS = 500
/** Limits for reports of verdicts that change nothing: maximum number per stage, and minimum interval. */
const [MAX_EVENTS_PER_STAGE, MIN_EVENT_INTERVAL_MS] = [50, 5000]

type StageSettings = CanarySettings['stages'][number]

/** The share of a stage in hundredths of a percent. */
export const basisPoints = ({ percent }: Pick<StageSettings, 'percent'>): number => Math.round(percent * 100)

/** When a stage that begins now ends. */
export const endOf = (now: Date, { duration_s }: Pick<StageSettings, 'duration_s'>): Date =>
  new Date(now.getTime() + duration_s * 1000)

/** Remaining time of a stage in milliseconds. */
export const remainingMs = ({ ends_at }: Pick<Stage, 'ends_at'>, now: Date): number =>
  Math.max(0, Date.parse(ends_at) - now.getTime())

/** The rule by which a check of a stage decides. */
export function ruleOf(
  { index, ends_at }: Pick<Stage, 'index' | 'ends_at'>,
  canary: Pick<CanarySettings, 'alpha' | 'stages' | 'on_inconclusive'>,
  { over }: Pick<Progress, 'over'>,
  now: Date,
): StageRule {
  const isOver = now.getTime() >= Date.parse(ends_at)
  return {
    alpha: canary.alpha,
    stages: Math.max(1, canary.stages.length),
    minRequests: canary.stages[index]?.min_requests ?? 0,
    time: isOver ? (over === index ? 'held' : 'over') : 'running',
    onInconclusive: canary.on_inconclusive,
  }
}

/** True if a verdict has other counts of requests or errors than the last reported one. */
export const hasChanged = (before: Verdict | null, { requests, errors }: Verdict): boolean =>
  before === null ||
  before.requests.canary !== requests.canary ||
  before.requests.stable !== requests.stable ||
  before.errors.canary !== errors.canary ||
  before.errors.stable !== errors.stable

/** True if a verdict that changes nothing should be reported: reports are spread over the stage. */
export function isDue(now: Date, duration_s: number): boolean {
  const interval = Math.max(MIN_EVENT_INTERVAL_MS, (duration_s * 1000) / MAX_EVENTS_PER_STAGE)
  return now.getTime() % interval < POLL_INTERVAL_MS
}
