import { candidateName } from '../../engines/candidate-names.ts'
import { appendEvent, type ReleaseRow } from '../../releases/events.ts'
import { environmentsOf, targetsOf, type Wanted } from '../target-environments.ts'
import { executionBy } from '../locked-rows.ts'
import { type ExecutionRow, progressOf, type Rollout, tell } from '../rollout-state.ts'

/**
 * Records that the engines of a release were rolled back, after the successful end of its rollback. Engines that the
 * rollback has skipped apply the old content later, and keep their state.
 */
export async function tellServersBack(rollout: Rollout, before: ReleaseRow): Promise<void> {
  if (before.execution_id === null) return
  const { change, release, actor } = rollout
  const { scope } = change
  const execution = await executionBy(change, before.execution_id)
  for (const { server_id, environment_id, status: from, canary_only } of await reachedBy(rollout, execution)) {
    const environment = (await environmentsOf(scope, before.id)).find(({ id }) => id === environment_id)
    const wanted = canary_only ? candidatesOf(before, execution) : await targetsOf(scope, release.id, environment_id)
    await scope
      .update('release_servers')
      .set({ status: 'rolled_back', digest: wanted[0]?.digest ?? null, error: null, updated_at: new Date() })
      .where('execution_id', '=', execution.id)
      .where('environment_id', '=', environment_id)
      .where('server_id', '=', server_id)
      .execute()
    // Recorded in the history only: the stream of the execution has already ended.
    for (const { name: ruleset, digest } of wanted)
      await appendEvent(change, before, {
        type: 'server_state',
        actor,
        status: before.status,
        ...(environment === undefined ? {} : { environment: environment.name }),
        serverId: server_id,
        data: { server_id, ruleset, from, to: 'rolled_back', digest },
      })
  }
}

/**
 * Records that engines with only the candidates of a release lose them, before the execution ends: their live content
 * never changed. Engines that have failed keep their state.
 */
export async function tellCandidatesBack(rollout: Rollout): Promise<void> {
  const { change, release, execution } = rollout
  const { environment_id: id } = execution
  if (execution.step !== 'canary' || id === null) return
  const { scope } = change
  const environment = (await environmentsOf(scope, release.id)).find((one) => one.id === id)
  const [first] = await targetsOf(scope, release.id, id)
  const rows = await scope
    .read('release_servers')
    .selectFrom('release_servers')
    .select(['server_id', 'status', 'canary_only'])
    .where('execution_id', '=', execution.id)
    .where('environment_id', '=', id)
    .where('status', 'not in', ['pending', 'skipped', 'failed'])
    .orderBy('position')
    .execute()
  for (const { server_id, status: from, canary_only } of rows) {
    const digest = canary_only ? null : (first?.base_digest ?? null)
    await scope
      .update('release_servers')
      .set({ status: 'rolled_back', digest, error: null, waiting_since: null, updated_at: new Date() })
      .where('execution_id', '=', execution.id)
      .where('environment_id', '=', id)
      .where('server_id', '=', server_id)
      .execute()
    for (const { name: ruleset, digest: none } of candidatesOf(release, execution))
      await tell(rollout, 'server_state', {
        ...(environment === undefined ? {} : { environment: environment.name }),
        serverId: server_id,
        data: { server_id, ruleset, from, to: 'rolled_back', digest: none },
      })
  }
}

/** The engines reached by an execution, except those that its rollback has not reached. */
async function reachedBy({ change: { scope }, execution: { id: back } }: Rollout, { id }: ExecutionRow) {
  return scope
    .read('release_servers')
    .selectFrom('release_servers as s')
    .select(['s.server_id', 's.environment_id', 's.status', 's.canary_only'])
    .where('s.execution_id', '=', id)
    .where('s.status', 'not in', ['pending', 'skipped', 'rolled_back'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('release_servers as b')
            .select('b.server_id')
            .where('b.execution_id', '=', back)
            .where('b.status', '<>', 'live')
            .whereRef('b.server_id', '=', 's.server_id')
            .whereRef('b.environment_id', '=', 's.environment_id'),
        ),
      ),
    )
    .orderBy('s.environment_id')
    .orderBy('s.canary_only')
    .orderBy('s.position')
    .execute()
}

/** The candidates of a release, which engines must drop. */
const candidatesOf = ({ number }: ReleaseRow, execution: ExecutionRow): readonly Wanted[] =>
  Object.keys(progressOf(execution).candidates).map((name) => ({
    name: candidateName(name, number),
    digest: null,
    version: null,
  }))
