import type { ReleaseRow } from '../releases/events.ts'
import type { ExecutionRow, Rollout } from './rollout-state.ts'

/** The current state of a release, read under the lock. */
export function releaseBy({ scope }: Pick<Rollout['change'], 'scope'>, id: string): Promise<ReleaseRow> {
  return scope.read('releases').selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The current state of an execution, read under the lock. */
export function executionBy({ scope }: Pick<Rollout['change'], 'scope'>, id: string): Promise<ExecutionRow> {
  return scope
    .read('release_executions')
    .selectFrom('release_executions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
