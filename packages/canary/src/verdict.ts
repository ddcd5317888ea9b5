import { upperTail } from './binomial.ts'
import { evidence, type Interval, LESS_THAN_DOUBLE, logMeanExp, MORE, OTHER } from './evidence.ts'
import { type ExpectedTransition, FAILED, linkedEvidences, linkedResults } from './expected.ts'

/** Counts of both sides of a split during one stage. */
export interface StageCounts {
  /** Share of the candidate, greater than 0 and at most 1. */
  readonly share: number
  readonly requests: Sides
  /** Only the first error of each key counts. */
  readonly errors: Sides
  /** Only the first slow answer of each key counts. */
  readonly slow: Sides
  /** Only the first answer of each key with this code counts. */
  readonly codes: ReadonlyMap<string, Sides>
  /**
   * Only the first answer of each key with a result of a group counts. A group is linked by expected transitions; its
   * index is that in `linkedResults`.
   */
  readonly groups: ReadonlyMap<number, Sides>
}

/** Counts of the candidate and of the control. */
export interface Sides {
  readonly canary: number
  readonly stable: number
}

/** The environment's settings, and the state of the stage. */
export interface StageRule {
  /** The accepted rate of false alarms over all stages. */
  readonly alpha: number
  /** Number of stages. */
  readonly stages: number
  /** Minimum number of the candidate's requests before a promotion. */
  readonly minRequests: number
  /** `over`: the time of the stage has just expired; `held`: it had expired before this look. */
  readonly time: 'running' | 'over' | 'held'
  readonly onInconclusive: 'hold' | 'promote'
}

/** The action, and the numbers that led to it. An `e` of 1 means no evidence; 1/alpha of its guard is an alarm. */
export interface Verdict {
  readonly decision: 'continue' | 'promote' | 'hold' | 'rollback'
  /** One sentence. */
  readonly reason: string
  readonly errors: Sides & { readonly e: number }
  readonly latency: Sides & { readonly e: number }
  readonly codes: { readonly e: number; readonly counts: Readonly<Record<string, Sides>> }
  readonly requests: Sides
}

/**
 * Fractions of alpha. Errors are tested twice: at any look, and once exactly at the end of a stage, which detects slow
 * accumulation. A change of codes only holds: changing codes is the purpose of most releases.
 */
const ALPHA_FRACTIONS = { errors: 0.16, errorsAtTheEnd: 0.44, latency: 0.2, codes: 0.2 } as const
/** Evidence required to conclude that a rate has less than doubled. */
const MIN_PROOF = 20

/**
 * Decides on a stage. Any number of looks is allowed, but only one per stage with `time: 'over'`.
 *
 * @param stages all of this rollout so far, the current one last
 * @param expected changes of results that do not hold a stage
 */
export function verdictOf(
  stages: readonly StageCounts[],
  rule: StageRule,
  expected: readonly ExpectedTransition[] = [],
): Verdict {
  const errors = intervalsOf(stages, (stage) => stage.errors)
  const latency = intervalsOf(stages, (stage) => stage.slow)
  const evidences = evidencesOf(stages, expected)
  const { decision, reason } = decide(evidences, errors, stages.at(-1), rule, expected.length > 0)
  return {
    decision,
    reason,
    errors: { ...totals(errors), e: shown(evidences.errors) },
    latency: { ...totals(latency), e: shown(evidences.latency) },
    codes: { e: shown(evidences.codes), counts: codesOf(stages) },
    requests: totals(intervalsOf(stages, (stage) => stage.requests)),
  }
}

/** The natural logarithms of the evidence of each guard. */
interface Evidences {
  readonly errors: number
  readonly latency: number
  readonly codes: number
}

/** The evidence of each guard over all stages. */
export const evidencesOf = (stages: readonly StageCounts[], expected: readonly ExpectedTransition[]): Evidences => ({
  errors: evidence(
    intervalsOf(stages, (stage) => stage.errors),
    MORE,
  ),
  latency: evidence(
    intervalsOf(stages, (stage) => stage.slow),
    MORE,
  ),
  codes: codeEvidence(stages, expected),
})

/** The logarithm of the evidence at which a guard raises an alarm. */
export const alarmOf = (guard: keyof Evidences, alpha: number): number => -Math.log(ALPHA_FRACTIONS[guard] * alpha)

type Decided = Pick<Verdict, 'decision' | 'reason'>

function decide(
  evidences: Evidences,
  errors: readonly Interval[],
  stage: StageCounts | undefined,
  rule: StageRule,
  hasExpected: boolean,
): Decided {
  const isAlarm = (guard: keyof Evidences) => evidences[guard] >= alarmOf(guard, rule.alpha)
  if (isAlarm('errors')) return { decision: 'rollback', reason: 'the candidate fails more often' }
  if (isAlarm('latency')) return { decision: 'rollback', reason: 'the candidate answers more slowly' }
  if (rule.time === 'over' && isUnlikely(errors.at(-1), (ALPHA_FRACTIONS.errorsAtTheEnd * rule.alpha) / rule.stages))
    return { decision: 'rollback', reason: 'the candidate failed more often until the stage ended' }
  if (isAlarm('codes'))
    return { decision: 'hold', reason: `the candidate gives other result codes${hasExpected ? ' than expected' : ''}` }
  if (rule.time === 'running') return { decision: 'continue', reason: 'the stage is still running' }
  return ended(errors, stage, rule)
}

function ended(errors: readonly Interval[], stage: StageCounts | undefined, rule: StageRule): Decided {
  const isEnough = (stage?.requests.canary ?? 0) >= rule.minRequests
  if (isEnough && evidence(errors, LESS_THAN_DOUBLE, 2) >= Math.log(MIN_PROOF))
    return { decision: 'promote', reason: 'the candidate fails less than twice as often' }
  if (rule.onInconclusive === 'promote')
    return { decision: 'promote', reason: 'the stage ended without an alarm (on_inconclusive)' }
  const why = isEnough ? 'too few errors to compare' : 'too few requests'
  return { decision: 'hold', reason: `the time is over with ${why} (on_inconclusive)` }
}

/** Exact test whether chance alone rarely assigns this number of errors to the candidate. */
function isUnlikely(interval: Interval | undefined, alpha: number): boolean {
  if (interval === undefined || interval.canary === 0) return false
  const { share, canary, stable } = interval
  return upperTail(canary + stable, share, canary) <= alpha
}

/** The mean over all codes, and over the claims that expected transitions make; no evidence if there are no codes. */
function codeEvidence(stages: readonly StageCounts[], expected: readonly ExpectedTransition[]): number {
  const codes = codesIn(stages)
  if (codes.length === 0) return 0
  const groups = linkedResults(expected)
  const linked = new Set(groups.flat())
  const others = codes.filter((code) => !linked.has(code))
  return logMeanExp([
    ...others.map((code) => evidence(intervalsOf(stages, sidesOfCode(code)), OTHER)),
    ...linkedEvidences(
      expected,
      (result) => intervalsOf(stages, result === FAILED ? ({ errors }) => errors : sidesOfCode(result)),
      groups.map((_, index) => intervalsOf(stages, (stage) => stage.groups.get(index) ?? NONE)),
    ),
  ])
}

const NONE: Sides = { canary: 0, stable: 0 }
const codesIn = (stages: readonly StageCounts[]) => [...new Set(stages.flatMap(({ codes }) => [...codes.keys()]))]
const sidesOfCode = (code: string) => (stage: StageCounts) => stage.codes.get(code) ?? NONE

/** Counts of one kind, by stage. */
export const intervalsOf = (
  stages: readonly StageCounts[],
  sidesOf: (stage: StageCounts) => Sides,
): readonly Interval[] => stages.map((stage) => ({ share: stage.share, ...sidesOf(stage) }))

/** Counts of all stages together. */
export function totals(intervals: readonly Interval[]): Sides {
  return intervals.reduce<Sides>(
    (total, { canary, stable }) => ({ canary: total.canary + canary, stable: total.stable + stable }),
    NONE,
  )
}

/** Counts of each result code over all stages. */
export const codesOf = (stages: readonly StageCounts[]) =>
  Object.fromEntries(codesIn(stages).map((code) => [code, totals(intervalsOf(stages, sidesOfCode(code)))]))

/** Evidence as a number that JSON can represent, with three digits. */
export const shown = (log: number): number => Number(Math.exp(Math.min(log, 200)).toPrecision(3))
