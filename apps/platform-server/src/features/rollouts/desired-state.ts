import { randomUUIDv7 } from 'node:crypto'
import type { Scope } from '../../database/scope.ts'
import { candidateName } from '../engines/candidate-names.ts'
import { settle, supersede } from '../engines/deployments.ts'
import { refreshServers } from '../engines/desired-state.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import { servingAt } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import type { Wanted } from './target-environments.ts'
import { progressOf, type Rollout } from './rollout-state.ts'

/**
 * Sets the desired rulesets of the engines of an environment, and removes those with no digest. Throws 409
 * `name_taken`.
 */
export async function setDesired(
  { change, release }: Pick<Rollout, 'change' | 'release'>,
  { id: environment_id }: Pick<EnvironmentRow, 'id'>,
  wanted: readonly Wanted[],
): Promise<void> {
  const { scope, wake } = change
  for (const { name, digest, version } of wanted) {
    if (digest === null) {
      await scope
        .delete('desired_rulesets')
        .where('environment_id', '=', environment_id)
        .where('name', '=', name)
        .execute()
      continue
    }
    const columns = { digest, version: version ?? '', release_id: release.id, updated_at: new Date() }
    await scope
      .insert('desired_rulesets', { environment_id, name, ...columns })
      .onConflict((conflict) => conflict.columns(['org_id', 'environment_id', 'name']).doUpdateSet(columns))
      .execute()
  }
  const { bound, canaries } = await servingAt(scope, environment_id)
  await refreshServers(change, [...bound, ...canaries])
  await wake(projectTopic(release.project_id))
}

/** Makes contents live: they become desired, enter the history, and get deployments that replace undelivered ones. */
export async function makeLive(
  rollout: Rollout,
  environment: EnvironmentRow,
  wanted: readonly Wanted[],
): Promise<void> {
  const { change, release, execution } = rollout
  await setDesired(rollout, environment, wanted)
  for (const { name, digest, version } of wanted) {
    await supersede(change.scope, environment.id, name)
    await deploy(rollout, environment, { name, digest, version })
    const at = { version, digest, at: new Date(), by: execution.started_by }
    await change.scope
      .insert('live_history', {
        id: randomUUIDv7(),
        environment_id: environment.id,
        release_id: release.id,
        name,
        ...at,
      })
      .onConflict((conflict) => conflict.columns(['org_id', 'release_id', 'environment_id', 'name']).doUpdateSet(at))
      .execute()
  }
}

/** Lists the deliveries of a release together with publications. A removal has no deployment. */
async function deploy(
  { change: { scope }, release, execution }: Rollout,
  { id: environment_id }: EnvironmentRow,
  { name, digest, version }: Wanted,
): Promise<void> {
  if (digest === null) return
  const seq = await savedAs(scope, release.id, name, digest)
  if (seq === undefined) return
  const queued = await scope
    .insert('deployments', {
      id: randomUUIDv7(),
      environment_id,
      ruleset_name: name,
      version: version ?? '',
      seq,
      digest,
      status: 'queued',
      release_note: `release ${release.number}: ${release.title}`,
      deployed_by: execution.started_by,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await settle(scope, queued)
}

/** The save of a content. A rollback may restore a published content, whose save is that of its deployment. */
async function savedAs(scope: Scope, release: string, name: string, digest: string): Promise<number | undefined> {
  const content = await scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select('from_seq')
    .where('release_id', '=', release)
    .where('name', '=', name)
    .where('digest', '=', digest)
    .executeTakeFirst()
  if (typeof content?.from_seq === 'number') return content.from_seq
  const published = await scope
    .read('deployments')
    .selectFrom('deployments')
    .select('seq')
    .where('digest', '=', digest)
    .where('ruleset_name', '=', name)
    .orderBy('deployed_at', 'desc')
    .executeTakeFirst()
  return published?.seq
}

/**
 * Ends the split of an environment. The candidates stay for a while, because other replicas learn of it a moment later.
 */
export async function closeSplit({ change, release, execution }: Rollout): Promise<void> {
  await change.scope
    .update('release_canaries')
    .set({ ended_at: new Date() })
    .where('execution_id', '=', execution.id)
    .where('ended_at', 'is', null)
    .execute()
  await change.wake(projectTopic(release.project_id))
}

/**
 * Removes all candidates of an execution from their engines, and deletes the counted keys. Returns true if there were
 * any.
 */
export async function retireCandidates(rollout: Rollout): Promise<boolean> {
  const { change, release, execution } = rollout
  const names = Object.keys(progressOf(execution).candidates).map((name) => candidateName(name, release.number))
  if (names.length === 0) return false
  await change.scope.delete('canary_error_keys').where('execution_id', '=', execution.id).execute()
  const rows = await change.scope
    .read('desired_rulesets')
    .selectFrom('desired_rulesets')
    .select(['environment_id', 'name'])
    .where('release_id', '=', release.id)
    .where('name', 'in', names)
    .execute()
  for (const [id, wanted] of Map.groupBy(rows, ({ environment_id }) => environment_id))
    await setDesired(
      rollout,
      { id },
      wanted.map(({ name }) => ({ name, digest: null, version: null })),
    )
  return rows.length > 0
}
