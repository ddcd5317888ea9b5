import type { Selectable } from 'kysely'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Replay } from './model.ts'

/** A replay with the name of its environment. */
export type ReplayRow = Selectable<Tables['replays']> & { readonly environment: string }

/** Woken when a replay has made progress. */
export const replayTopic = (id: string) => `replay:${id}`

const replaysIn = (scope: Scope, project: string) =>
  scope
    .read('replays', 'environments')
    .selectFrom('replays as r')
    .innerJoin('environments as e', 'e.id', 'r.environment_id')
    .selectAll('r')
    .select('e.name as environment')
    .where('r.project_id', '=', project)

/**
 * Returns one row more than the limit if another page follows.
 *
 * @param only names of environments; null means all
 */
export function replaysOn(
  scope: Scope,
  project: string,
  page: Page,
  only: readonly string[] | null,
): Promise<ReplayRow[]> {
  const all = replaysIn(scope, project)
  const reached = only === null ? all : all.where('e.name', 'in', [...only, ''])
  return onPage(reached, page, { key: 'r.created_at', id: 'r.id', texts: ['r.ruleset_name'] }).execute()
}

/** Throws `not-found`. */
export async function replayBy(scope: Scope, project: string, id: string): Promise<ReplayRow> {
  const row = isId(id) ? await replaysIn(scope, project).where('r.id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('replay', id)
  return row
}

export async function countRunning(scope: Scope, project: string): Promise<number> {
  const { count } = await scope
    .read('replays')
    .selectFrom('replays')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', project)
    .where('status', '=', 'running')
    .executeTakeFirstOrThrow()
  return count
}

export function replayOf(row: ReplayRow): Replay {
  const { records } = row
  return {
    ...recordOf(row),
    ruleset: row.ruleset_name,
    from_seq: row.from_seq,
    release_id: row.release_id,
    digest: row.digest,
    environment: row.environment,
    base: { version: row.base_version, digest: row.base_digest, release_id: row.base_release_id },
    from: row.decided_from?.toISOString() ?? null,
    to: row.decided_to.toISOString(),
    status: row.status,
    error: row.error,
    total: row.total,
    done: records.total,
    replayed: records.replayed,
    changed: records.changed,
  }
}

/** The members of a `ReplayReport`. */
export const reportOf = (row: ReplayRow) => ({ ...replayOf(row), records: row.records })
