import type { Selectable } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { candidateName } from '../engines/candidate-names.ts'
import { canaryOf, type EnvironmentRow } from '../projects/repository.ts'
import { progressOf, type Rollout } from './rollout-state.ts'

export type Target = Selectable<Tables['release_targets']>

/** A ruleset that the engines of an environment should have; a null digest means that they should not have it. */
export interface Wanted {
  readonly name: string
  readonly digest: string | null
  readonly version: string | null
}

/** The remaining environments of a release, in their order. */
export async function environmentsOf(scope: Scope, release: string): Promise<readonly EnvironmentRow[]> {
  return scope
    .read('environments', 'release_environments')
    .selectFrom('release_environments as r')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .selectAll('e')
    .where('r.release_id', '=', release)
    .orderBy('r.position')
    .orderBy('r.environment_id')
    .execute()
}

/**
 * The targets of a release in an environment, by name; without diffs and contracts, which checks of engines do not
 * need.
 */
export async function targetsOf(
  scope: Scope,
  release: string,
  environment?: string,
): Promise<readonly Pick<Target, 'name' | 'digest' | 'version' | 'base_digest'>[]> {
  const all = scope
    .read('release_targets')
    .selectFrom('release_targets')
    .select(['name', 'digest', 'version', 'base_digest'])
    .where('release_id', '=', release)
    .orderBy('name')
  return (environment === undefined ? all : all.where('environment_id', '=', environment)).execute()
}

/** Like `targetsOf`, with all columns that a rollback needs. */
export async function wholeTargetsOf(scope: Scope, release: string, environment: string): Promise<readonly Target[]> {
  return scope
    .read('release_targets')
    .selectFrom('release_targets')
    .selectAll()
    .where('release_id', '=', release)
    .where('environment_id', '=', environment)
    .orderBy('name')
    .execute()
}

/** Digests of live rulesets of an environment, by name; rulesets that are not live there are omitted. */
export async function liveIn(
  scope: Scope,
  environment: string,
  wanted: readonly Pick<Target, 'name'>[],
): Promise<ReadonlyMap<string, string>> {
  const names = wanted.map(({ name }) => name)
  const rows = await scope
    .read('desired_rulesets')
    .selectFrom('desired_rulesets')
    .select(['name', 'digest'])
    .where('environment_id', '=', environment)
    .where('name', 'in', [...names, ''])
    .execute()
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

/** The candidates of a release in an environment: its rulesets that are live there with another content. */
export async function candidatesIn(
  { change: { scope }, release, execution }: Rollout,
  environment: EnvironmentRow,
): Promise<readonly Wanted[]> {
  if (release.kind === 'rollback' || canaryOf(environment).stages.length === 0) return []
  const { candidates } = progressOf(execution)
  const targets = await targetsOf(scope, release.id, environment.id)
  const live = await liveIn(scope, environment.id, targets)
  return targets.flatMap(({ name, digest, version }) => {
    const candidate = candidates[name]
    const isOther = live.has(name) && live.get(name) !== digest
    return candidate === undefined || !isOther
      ? []
      : [{ name: candidateName(name, release.number), digest: candidate, version }]
  })
}
