import { compareRulesets, type RulesetComparison } from '@engine/authoring'
import type { Fields } from '@engine/ruleset'
import { isFew } from '../../compute/check.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { contentsOf } from '../engines/contents.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Copy } from './snapshot.ts'
import { type Live, liveDraft } from './live.ts'
import type { Diff } from './model.ts'

/** The effect of a release on one ruleset in one environment. */
export interface Target {
  readonly environment: EnvironmentRow
  readonly name: string
  readonly live: Live | undefined
  /** Undefined if the ruleset is removed. */
  readonly copy: Copy | undefined
}

interface Comparing {
  readonly database: Database
  readonly compute: Compute
  readonly scope: Scope
}

/**
 * The changes of each environment, for reviewers. Environments with the same live release of a ruleset share one
 * comparison. Throws 400 for rulesets that are too large to compare.
 */
export async function diffsOf(parts: Comparing, targets: readonly Target[]): Promise<readonly Diff[]> {
  const diffs: Diff[] = []
  const found = new Map<string, RulesetComparison>()
  // Sequential: this leaves threads for other requests and keeps only one live content in memory.
  for (const { environment, name, live, copy } of targets) {
    const key = `${name} ${live?.releaseId} ${live?.digest}`
    const compared = found.get(key) ?? (await comparison(parts, live, copy))
    found.set(key, compared)
    diffs.push({
      environment: environment.name,
      ruleset: name,
      base: live === undefined ? null : { version: live.version, digest: live.digest, release_id: live.releaseId },
      removed: copy === undefined,
      // The schema describes the same members, which the interface does not declare as read-only.
      ...(compared as unknown as Omit<Diff, 'environment' | 'ruleset' | 'base' | 'removed'>),
    })
  }
  return diffs
}

/**
 * A content that was published without a release exists only in the engine's format: both are then compared in that
 * format.
 */
async function comparison(
  { compute, ...parts }: Comparing,
  live: Live | undefined,
  copy: Copy | undefined,
): Promise<RulesetComparison> {
  const base = live && (await baseOf(parts, live))
  const next: Fields | undefined = live?.isDraft === false ? copy?.document : copy?.ruleset
  const contracts = { base: live?.contract, next: copy?.contract }
  if ((base === undefined || isFew(base)) && (next === undefined || isFew(next)))
    return compareRulesets(base, next, contracts)
  const outcome = await compute.run({ kind: 'compare', base, next, contracts })
  if (outcome.kind === 'over') throw failures.invalid('/rulesets', `cannot be compared: ${outcome.message}`)
  return outcome.result
}

async function baseOf({ database, scope }: Omit<Comparing, 'compute'>, live: Live): Promise<Fields | undefined> {
  return live.isDraft ? liveDraft(scope, live) : (await contentsOf(database, [live.digest])).get(live.digest)
}
