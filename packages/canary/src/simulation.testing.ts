import { type Random } from '../../ruleset/src/random.testing.ts'
import type { Sides, StageCounts, StageRule } from './verdict.ts'
import { verdictOf } from './verdict.ts'

/** Simulated traffic through a split. */
export interface Scenario {
  /** Share of the candidate. */
  readonly share: number
  /** Probability that a request fails, with the control and with the candidate. */
  readonly stable: number
  readonly canary: number
  readonly requests: number
  /** Requests between two looks. */
  readonly look: number
  readonly alpha: number
  /** Amplitude of the base rate's fluctuation, relative to it. */
  readonly swing?: number
  /** A share of the keys always fails, on both sides. The frequencies of the keys follow Zipf's law. */
  readonly failing?: { readonly keys: number; readonly share: number }
  /** Also simulates the counts of the other guards; both sides behave alike there. */
  readonly others?: boolean
}

/** How a rollout ended, and after how many requests. */
export interface Ended {
  readonly decision: 'promote' | 'hold' | 'rollback'
  readonly requests: number
}

const RULE = { stages: 1, minRequests: 0, onInconclusive: 'hold' } as const
const CODES: Readonly<Record<string, number>> = { APPROVE: 0.4, REVIEW: 0.25, DENY: 0.34, RARE: 0.01 }
const SLOW = 0.01

/** One stage, evaluated until it is decided. */
export function rollout(random: Random, scenario: Scenario): Ended {
  const { requests, look, share, alpha } = scenario
  const keys = firstErrors(random, scenario)
  let counts: StageCounts = { share, requests: NONE, errors: NONE, slow: NONE, codes: new Map(), groups: new Map() }
  for (let seen = look; ; seen += look) {
    counts = grown(random, counts, scenario, seen, keys)
    const time: StageRule['time'] = seen >= requests ? 'over' : 'running'
    const { decision } = verdictOf([counts], { ...RULE, alpha, time })
    // A change of codes only holds the stage, which continues: only a rollback counts here.
    if (decision === 'rollback' || time === 'over')
      return { decision: decision === 'continue' ? 'hold' : decision, requests: seen }
  }
}

const NONE: Sides = { canary: 0, stable: 0 }

function grown(
  random: Random,
  counts: StageCounts,
  { share, stable, canary, look, requests, swing = 0, others = false }: Scenario,
  seen: number,
  keys: readonly FirstError[],
): StageCounts {
  const mine = binomial(random, look, share)
  const units = { canary: mine, stable: look - mine }
  const now = 1 + swing * Math.sin((seen / requests) * 40)
  const failed = keys.filter(({ at }) => at > seen - look && at <= seen)
  const errors = plus(counts.errors, {
    canary: binomial(random, units.canary, Math.min(1, canary * now)) + failed.filter((key) => key.isCanary).length,
    stable: binomial(random, units.stable, Math.min(1, stable * now)) + failed.filter((key) => !key.isCanary).length,
  })
  const base = { share, requests: plus(counts.requests, units), errors }
  if (!others) return { ...base, slow: NONE, codes: counts.codes, groups: new Map() }
  return {
    ...base,
    slow: plus(counts.slow, split(random, units, SLOW)),
    codes: grownCodes(random, counts.codes, units),
    groups: new Map(),
  }
}

function grownCodes(random: Random, codes: StageCounts['codes'], units: Sides): StageCounts['codes'] {
  let rest = units
  let mass = 1
  return new Map(
    Object.entries(CODES).map(([code, probability]) => {
      const these = split(random, rest, Math.min(1, probability / mass))
      rest = { canary: rest.canary - these.canary, stable: rest.stable - these.stable }
      mass -= probability
      return [code, plus(codes.get(code) ?? NONE, these)]
    }),
  )
}

const split = (random: Random, { canary, stable }: Sides, probability: number): Sides => ({
  canary: binomial(random, canary, probability),
  stable: binomial(random, stable, probability),
})

const plus = (left: Sides, right: Sides): Sides => ({
  canary: left.canary + right.canary,
  stable: left.stable + right.stable,
})

/** The first request of a failing key; later ones are not counted. */
interface FirstError {
  readonly at: number
  readonly isCanary: boolean
}

function firstErrors(random: Random, { failing, share }: Scenario): readonly FirstError[] {
  if (failing === undefined) return []
  const weights = Array.from({ length: failing.keys }, (_, index) => (index + 1) ** -0.9)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights
    .filter(() => random() < failing.share)
    .map((weight) => ({
      at: Math.ceil(Math.log1p(-random()) / Math.log1p(-weight / total)),
      isCanary: random() < share,
    }))
}

/** The number of successes in a number of trials: by geometric gaps, or by a normal approximation for many. */
function binomial(random: Random, trials: number, p: number): number {
  if (p <= 0 || trials <= 0) return 0
  if (p > 0.5) return trials - binomial(random, trials, 1 - p)
  if (trials * p > 60) {
    const normal = Math.sqrt(-2 * Math.log1p(-random())) * Math.cos(2 * Math.PI * random())
    return Math.max(0, Math.min(trials, Math.round(trials * p + normal * Math.sqrt(trials * p * (1 - p)))))
  }
  let successes = 0
  for (let at = 0; ; successes++) {
    at += Math.floor(Math.log1p(-random()) / Math.log1p(-p)) + 1
    if (at > trials) return successes
  }
}
