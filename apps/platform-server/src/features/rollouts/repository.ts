import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { ReleaseExecution } from './model.ts'
import { type ExecutionRow, progressOf, stageOf } from './rollout-state.ts'

/** The executions of a release, newest first. */
export function executionsOn(scope: Scope, release: string, page: Page): Promise<ExecutionRow[]> {
  const all = scope.read('release_executions').selectFrom('release_executions').selectAll()
  return onPage(all.where('release_id', '=', release), page, { key: 'started_at', id: 'id', texts: [] }).execute()
}

/** Throws `not-found`. */
export async function executionIn(scope: Scope, release: string, id: string): Promise<ExecutionRow> {
  const row = isId(id)
    ? await scope
        .read('release_executions')
        .selectFrom('release_executions')
        .selectAll()
        .where('release_id', '=', release)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw failures.notFound('execution', id)
  return row
}

/** An execution in the form of the API, with the engines of the environments that it has reached. */
export async function executionOf(scope: Scope, row: ExecutionRow): Promise<ReleaseExecution> {
  const names = new Map(
    (
      await scope
        .read('release_environments')
        .selectFrom('release_environments')
        .select(['environment_id', 'name'])
        .where('release_id', '=', row.release_id)
        .execute()
    ).map(({ environment_id, name }) => [environment_id, name]),
  )
  const servers = await scope
    .read('release_servers', 'release_environments')
    .selectFrom('release_servers as s')
    .leftJoin('release_environments as e', (join) =>
      join.onRef('e.environment_id', '=', 's.environment_id').on('e.release_id', '=', row.release_id),
    )
    .selectAll('s')
    .where('s.execution_id', '=', row.id)
    .orderBy('e.position')
    .orderBy('s.canary_only')
    .orderBy('s.position')
    .execute()
  return {
    id: row.id,
    release_id: row.release_id,
    status: row.status,
    step: row.step,
    environment: row.environment_id === null ? null : (names.get(row.environment_id) ?? null),
    stage: stageOf(row),
    expected: (progressOf(row).expected ?? []).map(({ share = null, environments, ...transition }) => ({
      ...transition,
      share,
      environments: environments.flatMap((environment) => names.get(environment) ?? []),
    })),
    servers: servers.map(({ server_id, name, environment_id, canary_only, status, digest, error }) => ({
      server_id,
      name,
      environment: names.get(environment_id) ?? '',
      canary_only,
      status,
      digest,
      error,
    })),
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    error: row.error,
  }
}
