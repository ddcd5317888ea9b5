import { witnessText } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import type { ConflictCode } from '../../errors.ts'
import type { SuiteMeasure } from '../../compute/tasks.ts'
import type { ReleaseAnalysis, TargetImpact } from './analysis.ts'
import { type Blocker, conflict } from './blockers.ts'
import type { Found } from './request.ts'
import type { RequiredBehavior } from './requirements.ts'

/** A requirement that is not met. */
interface Unmet {
  readonly path: string
  readonly message: string
}

/** The requirements of policies that the behavior of a release does not meet, with witnesses. */
export function unmetBehavior(
  analysis: ReleaseAnalysis,
  required: readonly RequiredBehavior[],
  found: Found,
): readonly Blocker[] {
  const pathOf = (ruleset: string) => `/rulesets/${found.rulesets.findIndex(({ name }) => name === ruleset)}`
  const forbidden: Unmet[] = []
  const changed: Unmet[] = []
  for (const impact of analysis.impacts)
    for (const one of impact.gates) {
      if (one.verdict === 'proved') continue
      const path = pathOf(impact.ruleset)
      if (one.gate.startsWith('max-changed ')) changed.push({ path, message: changedText(impact, one.gate) })
      else forbidden.push({ path, message: forbiddenText(impact, one) })
    }
  const current = {
    impacts: analysis.impacts.map(({ environment, ruleset, gates }) => ({ environment, ruleset, gates })),
  }
  return [
    ...blocker(
      'forbidden_transition',
      'a policy forbids a change of decisions that is not proved absent',
      forbidden,
      current,
    ),
    ...blocker('max_changed', 'more recorded decisions change than a policy allows', changed, current),
    ...blocker(
      'coverage',
      'the cases test less than a policy requires',
      uncovered(analysis, required, found),
      undefined,
    ),
  ]
}

function forbiddenText({ environment, ruleset, diff }: TargetImpact, gate: TargetImpact['gates'][number]): string {
  const wanted = `\`${environment}\` forbids \`${gate.gate}\``
  if (gate.verdict === 'refuted')
    return `${wanted}, and \`${ruleset}\` changes so for the input ${witnessText(gate.witness ?? { input: {} })}`
  const reason = diff.unknown[0]?.reason ?? 'the search reached its limit'
  return `${wanted}, and whether \`${ruleset}\` changes so is unknown: ${reason}`
}

function changedText({ environment, ruleset, records }: TargetImpact, gate: string): string {
  const most = gate.slice('max-changed '.length)
  const wanted = `\`${environment}\` allows ${most} of the recorded decisions of \`${ruleset}\` to change`
  if (records === null || records.replayed === 0) {
    const why = records?.not_replayed[0]?.reason
    return `${wanted}, and none could be replayed: ${why ?? 'record decisions there first'}`
  }
  const { changed, replayed, transitions } = records
  const [first] = transitions
  const example = first?.examples[0]
  const shown =
    first === undefined || example === undefined
      ? ''
      : `, such as ${stringifyJson(example)}: ${first.from} -> ${first.to}`
  return `${wanted}, and ${changed} of ${replayed} do${shown}`
}

const MEASURES: readonly SuiteMeasure[] = ['branches', 'conditions', 'boundaries', 'mutants']

function uncovered(
  { analyses }: ReleaseAnalysis,
  required: readonly RequiredBehavior[],
  { environments, rulesets }: Found,
): readonly Unmet[] {
  return required.flatMap(({ environmentId, coverage }) => {
    if (coverage === null) return []
    const environment = environments.find(({ id }) => id === environmentId)?.name ?? environmentId
    return analyses.flatMap((one) =>
      MEASURES.flatMap((measure) => {
        const least = coverage[measure]
        const share = one.coverage?.[measure]
        if (least === undefined || (share !== undefined && share.percent >= least)) return []
        const wanted = `\`${environment}\` requires ${least}% of ${measure} of \`${one.ruleset}\` to be covered by cases`
        const missing = share?.missing[0] === undefined ? '' : `, not ${share.missing[0]}`
        const have =
          share === undefined ? 'and they could not be measured' : `and ${shown(share.percent)}% are${missing}`
        return [
          {
            path: `/rulesets/${rulesets.findIndex(({ name }) => name === one.ruleset)}`,
            message: `${wanted}, ${have}`,
          },
        ]
      }),
    )
  })
}

/** Rounded down, so that a share that is too small is never displayed as the required one. */
const shown = (percent: number) => Math.floor(percent * 10) / 10

/** Maximum number of details named in one refusal. */
const MAX_NAMED = 20

function blocker(code: ConflictCode, message: string, unmet: readonly Unmet[], current: unknown): readonly Blocker[] {
  if (unmet.length === 0) return []
  return [
    conflict(
      code,
      message,
      unmet.slice(0, MAX_NAMED).map((one) => ({ ...one, code })),
      current,
    ),
  ]
}
