import { NO_ID } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus } from '../../database/tables.ts'
import type { ReleaseRow } from './events.ts'
import type { Conditions } from './states.ts'

/** Conditions of a release, other than its state, that do not change by themselves. */
export type DurableGuards = Readonly<
  Record<Extract<keyof Conditions, 'in_canary' | 'only_canary' | 'newest' | 'has_baseline'>, boolean>
>

const NONE: DurableGuards = { in_canary: false, only_canary: false, newest: false, has_baseline: false }

/** States in which at least one of these conditions matters. */
const GUARDED_STATES: ReadonlySet<ReleaseStatus> = new Set([
  'executing',
  'paused',
  'failed',
  'completed',
  'rollback_failed',
])

/**
 * The conditions of releases, by id, in five queries for any number of releases, and one for each rollback that was
 * rolled back.
 */
export async function durableGuards(
  scope: Scope,
  releases: readonly Pick<ReleaseRow, 'id' | 'status'>[],
): Promise<ReadonlyMap<string, DurableGuards>> {
  const ids = releases.filter(({ status }) => GUARDED_STATES.has(status)).map(({ id }) => id)
  if (ids.length === 0) return new Map(releases.map(({ id }) => [id, NONE]))
  const inCanary = await inCanaries(scope, ids)
  const live = await everLive(scope, ids)
  const withBaseline = await withBaselines(scope, ids)
  const overtaken = await overtakenOf(scope, ids)
  const asking = new Set(ids)
  const found = (id: string): DurableGuards => ({
    in_canary: inCanary.has(id),
    only_canary: !live.has(id),
    newest: !overtaken.has(id),
    has_baseline: withBaseline.has(id),
  })
  return new Map(releases.map(({ id }) => [id, asking.has(id) ? found(id) : NONE]))
}

/** The conditions of one release. */
export async function durableGuardsOf(
  scope: Scope,
  release: Pick<ReleaseRow, 'id' | 'status'>,
): Promise<DurableGuards> {
  return (await durableGuards(scope, [release])).get(release.id) ?? NONE
}

const idsIn = (rows: readonly { readonly release_id: string }[]) => new Set(rows.map(({ release_id: id }) => id))

/** Releases with a running stage in an environment that still exists. */
async function inCanaries(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await scope
    .read('releases', 'release_executions', 'environments')
    .selectFrom('releases as r')
    .innerJoin('release_executions as x', 'x.id', 'r.execution_id')
    .innerJoin('environments as e', 'e.id', 'x.environment_id')
    .select('x.release_id')
    .where('r.id', 'in', [...ids])
    .where('x.ended_at', 'is', null)
    .where('x.stage', 'is not', null)
    .execute()
  return idsIn(rows)
}

/** Releases with more than a canary delivered to engines. */
async function everLive(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await scope
    .read('live_history')
    .selectFrom('live_history')
    .select('release_id')
    .distinct()
    .where('release_id', 'in', [...ids])
    .execute()
  return idsIn(rows)
}

/**
 * The effects of releases on the environments that they have reached: those that they changed, and the one of the last
 * execution.
 */
function reachedTargets(scope: Scope, ids: readonly string[]) {
  return scope
    .read('release_targets', 'releases', 'release_executions', 'environments', 'live_history', 'desired_rulesets')
    .selectFrom('release_targets as t')
    .innerJoin('releases as r', 'r.id', 't.release_id')
    .innerJoin('environments as e', 'e.id', 't.environment_id')
    .where('t.release_id', 'in', [...ids])
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('live_history as h')
            .select('h.id')
            .whereRef('h.release_id', '=', 't.release_id')
            .whereRef('h.environment_id', '=', 't.environment_id'),
        ),
        exists(
          selectFrom('release_executions as x')
            .select('x.id')
            .whereRef('x.id', '=', 'r.execution_id')
            .whereRef('x.environment_id', '=', 't.environment_id'),
        ),
      ]),
    )
    .select('t.release_id')
    .distinct()
}

/** Releases that replaced a live content. */
async function withBaselines(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return idsIn(await reachedTargets(scope, ids).where('t.base_digest', 'is not', null).execute())
}

/** Rollbacks of the rollbacks of releases, at any depth: they restore the release, or its predecessor. */
async function fartherRollbacks(scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
  const farther: string[] = []
  let next = await rollbacksOf(scope, ids)
  while (next.length > 0) {
    next = await rollbacksOf(scope, next)
    farther.push(...next)
  }
  return farther
}

async function rollbacksOf(scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await scope
    .read('releases')
    .selectFrom('releases')
    .select('id')
    .where('rollback_of', 'in', [...ids])
    .execute()
  return rows.map(({ id }) => id)
}

/** Releases whose rulesets were changed later, by a publication or by a release other than their own rollback. */
async function overtakenOf(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const farther = await fartherRollbacks(scope, ids)
  const rows = await reachedTargets(scope, ids)
    .leftJoin('desired_rulesets as d', (join) =>
      join.onRef('d.environment_id', '=', 't.environment_id').onRef('d.name', '=', 't.name'),
    )
    .where(({ and, or, eb, exists, selectFrom }) =>
      or([
        and([
          eb('d.digest', 'is distinct from', eb.ref('t.digest')),
          eb('d.digest', 'is distinct from', eb.ref('t.base_digest')),
        ]),
        exists(
          selectFrom('live_history as own')
            .innerJoin('live_history as later', (join) =>
              join.onRef('later.environment_id', '=', 'own.environment_id').onRef('later.name', '=', 'own.name'),
            )
            .innerJoin('releases as by', 'by.id', 'later.release_id')
            .select('later.id')
            .whereRef('own.release_id', '=', 't.release_id')
            .whereRef('own.environment_id', '=', 't.environment_id')
            .whereRef('own.name', '=', 't.name')
            .whereRef('later.at', '>', 'own.at')
            .where((later) => later('by.rollback_of', 'is distinct from', later.ref('t.release_id')))
            .where('by.id', 'not in', [...farther, NO_ID]),
        ),
      ]),
    )
    .execute()
  return idsIn(rows)
}
