import type { Value } from '@engine/expression'
import type { Scope } from '../../../database/scope.ts'
import type { ReleaseRow } from '../../releases/events.ts'
import type { Diff } from '../../releases/model.ts'
import { environmentsOf, type Target, wholeTargetsOf } from '../target-environments.ts'
import type { ExecutionRow } from '../rollout-state.ts'

/** The contents that a rollback restores in an environment. */
export interface Back {
  readonly environment: { readonly id: string; readonly name: string; readonly position: number }
  readonly targets: readonly BackTarget[]
}

/** The content that a rollback restores for one ruleset. */
export type BackTarget = Omit<
  Target,
  'org_id' | 'release_id' | 'environment_id' | 'diff' | 'impact' | 'contract' | 'base_contract'
> & {
  readonly diff: Diff
  readonly contract: Value | null
  readonly base_contract: Value | null
  /** The release that has the content's copy; null if it became live without one. */
  readonly from: string | null
}

/**
 * The contents to restore in each environment that a release has reached: those that it changed, and the one of its
 * current canary.
 */
export async function backsOf(
  scope: Scope,
  release: ReleaseRow,
  execution: ExecutionRow | undefined,
): Promise<readonly Back[]> {
  const changed = await scope
    .read('live_history')
    .selectFrom('live_history')
    .select('environment_id')
    .distinct()
    .where('release_id', '=', release.id)
    .execute()
  const reached = new Set([
    ...changed.map(({ environment_id: id }) => id),
    ...(execution?.environment_id == null ? [] : [execution.environment_id]),
  ])
  const environments = (await environmentsOf(scope, release.id)).filter(({ id }) => reached.has(id))
  return Promise.all(
    environments.map(async (environment) => ({
      environment,
      targets: (await wholeTargetsOf(scope, release.id, environment.id)).map((target) => backOf(target, release.id)),
    })),
  )
}

/**
 * The reversal of a target.
 *
 * @param release id of the release that made it live
 * @internal
 */
export function backOf(target: Target, release: string): BackTarget {
  const { name, digest, version, contract, base_digest, base_version, base_release_id, base_contract } = target
  return {
    name,
    digest: base_digest,
    version: base_version,
    contract: base_contract,
    base_digest: digest,
    base_version: version,
    base_release_id: digest === null ? null : release,
    base_contract: contract,
    from: base_release_id,
    // Written only by the releases feature, in this format.
    diff: inverted(
      target.diff as unknown as Diff,
      digest === null ? null : { version: version ?? '', digest, release_id: release },
      base_digest === null,
    ),
  }
}

/** The inverse of a diff. */
function inverted(diff: Diff, base: Diff['base'], removed: boolean): Diff {
  return {
    ...diff,
    base,
    removed,
    steps_added: diff.steps_removed,
    steps_removed: diff.steps_added,
    branches_changed: diff.branches_changed.map(({ change, changes, ...branch }) => ({
      ...branch,
      change: change === 'added' ? 'removed' : change === 'removed' ? 'added' : change,
      changes: changes.map(({ path, before, after }) => ({
        path,
        ...(after !== undefined && { before: after }),
        ...(before !== undefined && { after: before }),
      })),
    })),
    contract: null,
  }
}
