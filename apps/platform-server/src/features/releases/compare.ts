import { compareRulesets, type RulesetComparison } from '@engine/authoring'
import type { Fields, RulesetDocument } from '@engine/ruleset'
import { isFew } from '../../compute/check.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { contentsOf } from '../engines/contents.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Copy } from './copies.ts'
import type { Live } from './live.ts'
import type { Diff } from './model.ts'

/** What a release makes of one ruleset in one environment. */
export interface Target {
  readonly environment: EnvironmentRow
  readonly name: string
  readonly live: Live | undefined
  /** Undefined: it is taken out. */
  readonly copy: Copy | undefined
}

/** What changes where, for reviewers. Throws 400 for rulesets that are too large to be compared. */
export async function diffsOf(
  { database, compute }: { readonly database: Database; readonly compute: Compute },
  targets: readonly Target[],
): Promise<readonly Diff[]> {
  const bare = targets.flatMap(({ live }) => (live === undefined || live.ruleset !== undefined ? [] : [live.digest]))
  const documents = await contentsOf(database, bare)
  const diffs: Diff[] = []
  // One after the other: the threads are there for others too.
  for (const { environment, name, live, copy } of targets) {
    const compared = await comparison(compute, live, live && documents.get(live.digest), copy)
    diffs.push({
      environment: environment.name,
      ruleset: name,
      base: live === undefined ? null : { version: live.version, digest: live.digest, release_id: live.releaseId },
      removed: copy === undefined,
      // The schema is of the same members, which the interface does not declare as read-only.
      ...(compared as unknown as Omit<Diff, 'environment' | 'ruleset' | 'base' | 'removed'>),
    })
  }
  return diffs
}

/**
 * Of a content that was published without a release only the engine's format is known: then both are compared in that.
 *
 * @param document what is live, in the format of engines
 */
async function comparison(
  compute: Compute,
  live: Live | undefined,
  document: RulesetDocument | undefined,
  copy: Copy | undefined,
): Promise<RulesetComparison> {
  const isDraft = live?.ruleset !== undefined || live === undefined
  const base: Fields | undefined = live?.ruleset ?? document
  const next: Fields | undefined = isDraft ? copy?.ruleset : copy?.document
  const contracts = { base: live?.contract, next: copy?.contract }
  if ((base === undefined || isFew(base)) && (next === undefined || isFew(next)))
    return compareRulesets(base, next, contracts)
  const outcome = await compute.run({ kind: 'compare', base, next, contracts })
  if (outcome.kind === 'over') throw failures.invalid('/rulesets', `cannot be compared: ${outcome.message}`)
  return outcome.result
}
