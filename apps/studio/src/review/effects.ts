import type { ReviewedParts, TargetImpact } from './release-parts.ts'
import { isRemote, severityOf, type Transition, transitionsOf } from './transitions.ts'

/** One effect of a release, as listed in the verdict. */
export type Effect =
  | { readonly kind: 'removed'; readonly ruleset: string; readonly environment: string }
  | { readonly kind: 'tests_fail'; readonly failed: number; readonly total: number }
  | ({ readonly kind: 'fails' | 'code' | 'may_fail' | 'decided' | 'other' } & Changed)
  | { readonly kind: 'contract'; readonly ruleset: string; readonly breaks: number }
  | { readonly kind: 'unknown'; readonly ruleset: string; readonly environment: string }
  | { readonly kind: 'returns'; readonly ruleset: string; readonly environment: string }
  | { readonly kind: 'first'; readonly ruleset: string; readonly environment: string }
  | { readonly kind: 'not_analysed'; readonly ruleset: string; readonly environment: string }
  | { readonly kind: 'none'; readonly ruleset: string; readonly environment: string }

/** Decisions of a ruleset that change from one result to another. */
interface Changed {
  readonly ruleset: string
  readonly environment: string
  readonly transition: Transition
  /** Number of replayed decisions. */
  readonly replayed: number
}

export type EffectTone = 'bad' | 'warn' | 'ok'

/** Worst kind first. An undecided change may be as bad as a changed code, so it precedes harmless changes. */
const ORDER: readonly Effect['kind'][] = [
  'removed',
  'tests_fail',
  'fails',
  'contract',
  'code',
  'may_fail',
  'unknown',
  'not_analysed',
  'decided',
  'other',
  'returns',
  'first',
  'none',
]

const TONES: Readonly<Record<Effect['kind'], EffectTone>> = {
  removed: 'bad',
  tests_fail: 'bad',
  fails: 'bad',
  contract: 'bad',
  code: 'warn',
  may_fail: 'warn',
  unknown: 'warn',
  not_analysed: 'warn',
  decided: 'ok',
  other: 'ok',
  returns: 'ok',
  first: 'ok',
  none: 'ok',
}

/** The colour of an effect, always shown together with words. */
export const toneOf = ({ kind }: Effect): EffectTone => TONES[kind]

const KINDS = ['other', 'decided', 'code', 'fails'] as const

const weightOf = (effect: Effect): number => ('transition' in effect ? effect.transition.count : 0)

/**
 * The effects of a release, the worst first: by kind, then by the number of recorded decisions. Not empty unless the
 * release is. Linear in the transitions and regions.
 */
export function effectsOf({
  isRollback,
  diffs,
  impacts,
  analyses,
  tests,
}: Omit<ReviewedParts, 'rulesets'>): readonly Effect[] {
  const breaks = new Map<string, number>()
  for (const { ruleset, contract } of diffs)
    if (contract?.breaking === true) breaks.set(ruleset, contract.breaks.length)
  const effects = [
    ...(tests !== null && tests.failed > 0
      ? [{ kind: 'tests_fail', failed: tests.failed, total: tests.total } as const]
      : []),
    ...Array.from(breaks, ([ruleset, count]) => ({ kind: 'contract', ruleset, breaks: count }) as const),
    ...diffs.flatMap(({ ruleset, environment, removed, base }): readonly Effect[] => {
      const place = { ruleset, environment }
      if (removed) return [{ kind: 'removed', ...place }]
      if (base === null) return [{ kind: 'first', ...place }]
      const impact = impacts.find((one) => one.ruleset === ruleset && one.environment === environment)
      return impact === undefined
        ? [{ kind: isRollback ? 'returns' : 'not_analysed', ...place }]
        : effectsOfTarget(impact, isBounded(ruleset, analyses))
    }),
  ]
  return joined(effects).toSorted(
    (left, right) => ORDER.indexOf(left.kind) - ORDER.indexOf(right.kind) || weightOf(right) - weightOf(left),
  )
}

/** Merges equal effects in several environments into one that names all of them. */
function joined(effects: readonly Effect[]): readonly Effect[] {
  const groups = Map.groupBy(effects, (effect) => {
    if (!('environment' in effect)) return effect
    const { kind, ruleset } = effect
    if (!('transition' in effect)) return `${kind} ${ruleset}`
    const { transition, replayed } = effect
    return `${kind} ${ruleset} ${transition.from} ${transition.to} ${transition.count} ${replayed}`
  })
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const environments = same.flatMap((effect) => ('environment' in effect ? [effect.environment] : []))
    return ['environment' in first ? { ...first, environment: environments.join(', ') } : first]
  })
}

/** True if the analysis was limited to inputs that a contract allows. */
export const isBounded = (ruleset: string, analyses: ReviewedParts['analyses']): boolean =>
  analyses.some((one) => one.ruleset === ruleset && one.domain === 'contract')

function effectsOfTarget(
  { ruleset, environment, diff, records }: TargetImpact,
  hasContract: boolean,
): readonly Effect[] {
  const place = { ruleset, environment }
  const transitions = transitionsOf(diff.regions, records, hasContract)
  const changed = transitions.map((transition): Effect => ({
    kind: isRemote(transition, hasContract) ? 'may_fail' : KINDS[severityOf(transition)],
    ...place,
    transition,
    replayed: records?.replayed ?? 0,
  }))
  const isOpen = diff.verdict === 'unknown' || diff.unknown.length > 0 || diff.truncated
  if (isOpen) return [...changed, { kind: 'unknown', ...place }]
  return changed.length === 0 ? [{ kind: 'none', ...place }] : changed
}
