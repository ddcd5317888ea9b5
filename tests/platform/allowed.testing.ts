import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { ReleaseStatus } from '../../apps/platform-server/src/database/tables.ts'

/** The state of a release as rows of the database. */
export interface Standing {
  readonly title: string
  readonly status: ReleaseStatus
  readonly kind?: 'release' | 'rollback'
  /** The step of an execution; present exactly when there is one. */
  readonly step?: 'preflight' | 'canary' | 'full' | 'done'
  /** Engines have it. */
  readonly isLive?: true
  /** Something was live before. */
  readonly hasBaseline?: true
  /** Id of the release that it rolls back. */
  readonly rollsBack?: string
  /** A later release has changed the same ruleset. */
  readonly isOvertaken?: true
  /** Another release is on its way in the environment. */
  readonly isBusy?: true
}

export const STANDINGS: readonly Standing[] = [
  { title: 'waiting for approval', status: 'pending_approval' },
  { title: 'approved', status: 'approved' },
  { title: 'approved while another one is on its way', status: 'approved', isBusy: true },
  { title: 'rejected', status: 'rejected' },
  { title: 'cancelled', status: 'cancelled' },
  { title: 'before its first engine', status: 'executing', step: 'preflight' },
  { title: 'in a canary', status: 'executing', step: 'canary', hasBaseline: true },
  { title: 'paused in a canary', status: 'paused', step: 'canary', hasBaseline: true },
  { title: 'on all engines', status: 'executing', step: 'full', isLive: true, hasBaseline: true },
  { title: 'paused behind its first environment', status: 'paused', step: 'full', isLive: true },
  { title: 'completed', status: 'completed', step: 'done', isLive: true, hasBaseline: true },
  { title: 'completed where nothing was', status: 'completed', step: 'done', isLive: true },
  {
    title: 'completed and overtaken',
    status: 'completed',
    step: 'done',
    isLive: true,
    hasBaseline: true,
    isOvertaken: true,
  },
  { title: 'failed', status: 'failed', step: 'full', isLive: true, hasBaseline: true },
  { title: 'failed where nothing was', status: 'failed', step: 'preflight' },
  { title: 'rolling back', status: 'rolling_back', step: 'full', isLive: true, hasBaseline: true },
  { title: 'rolled back', status: 'rolled_back', step: 'full', isLive: true, hasBaseline: true },
  { title: 'whose rollback failed', status: 'rollback_failed', step: 'full', isLive: true, hasBaseline: true },
  { title: 'a rollback on its way', kind: 'rollback', status: 'executing', step: 'preflight', hasBaseline: true },
  {
    title: 'an existing rollback',
    kind: 'rollback',
    status: 'completed',
    step: 'done',
    isLive: true,
    hasBaseline: true,
  },
]

const ENDED: ReadonlySet<ReleaseStatus> = new Set([
  'completed',
  'failed',
  'rolling_back',
  'rolled_back',
  'rollback_failed',
])

/**
 * Rows of a release as the steps of an execution leave them, whatever was done to it before; the job has nothing to do in it.
 *
 * @param reviewer whose review stays
 */
export async function place(
  { unscoped: { tables } }: Database,
  org: OrgId,
  release: { readonly id: string; readonly rulesets: readonly { readonly name: string; readonly digest: string }[] },
  { status, kind = 'release', step, isLive, hasBaseline, rollsBack }: Standing,
  reviewer: string,
): Promise<void> {
  await tables.deleteFrom('releases').where('rollback_of', '=', release.id).execute()
  await tables.deleteFrom('release_executions').where('release_id', '=', release.id).execute()
  await tables.deleteFrom('release_canaries').where('release_id', '=', release.id).execute()
  await tables.deleteFrom('live_history').where('release_id', '=', release.id).execute()
  await tables
    .deleteFrom('release_reviews')
    .where('release_id', '=', release.id)
    .where('user_id', '<>', reviewer)
    .execute()
  const [content] = release.rulesets
  if (content === undefined) throw new Error('a release of nothing')
  const { name, digest } = content
  const { environment_id } = await tables
    .selectFrom('release_environments')
    .select('environment_id')
    .where('release_id', '=', release.id)
    .executeTakeFirstOrThrow()
  if (hasBaseline)
    await tables
      .updateTable('release_targets')
      .set({ base_digest: digest })
      .where('release_id', '=', release.id)
      .execute()
  const execution_id = step === undefined ? null : randomUUIDv7()
  if (execution_id !== null && step !== undefined)
    await tables
      .insertInto('release_executions')
      .values({
        org_id: org,
        id: execution_id,
        release_id: release.id,
        status: ENDED.has(status) ? 'failed' : status === 'paused' ? 'paused' : 'running',
        step,
        environment_id,
        stage: step === 'canary' ? JSON.stringify({ index: 0, percent: 10, ends_at: FAR, verdict: null }) : null,
        progress: JSON.stringify({ candidates: {}, held: [], ...(rollsBack && { rolls_back: rollsBack }) }),
        emergency_reason: null,
        error: null,
        started_by: 'system',
        ended_at: ENDED.has(status) ? new Date() : null,
        lease_until: null,
        next_run_at: null,
      })
      .execute()
  if (isLive) await live(tables, { org_id: org, environment_id, release_id: release.id, name, digest })
  await tables
    .updateTable('releases')
    .set({ status, kind, execution_id, rollback_of: rollsBack ?? null })
    .where('id', '=', release.id)
    .execute()
}

const FAR = '2999-01-01T00:00:00.000Z'

type Tables = Database['unscoped']['tables']
interface Entry {
  readonly org_id: OrgId
  readonly environment_id: string
  readonly release_id: string
  readonly name: string
  readonly digest: string
}

async function live(tables: Tables, entry: Entry): Promise<void> {
  const version = '1.0.0'
  await tables
    .insertInto('live_history')
    .values({ ...entry, id: randomUUIDv7(), version, by: 'system' })
    .execute()
  await tables
    .insertInto('desired_rulesets')
    .values({ ...entry, version })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'environment_id', 'name']).doUpdateSet({ digest: entry.digest }),
    )
    .execute()
}

/** End what tests have on its way, so that no release waits for another one. */
export async function endAll({ unscoped: { tables } }: Database, org: OrgId): Promise<void> {
  const ended = { status: 'failed', ended_at: new Date(), next_run_at: null } as const
  await tables.updateTable('release_executions').set(ended).where('org_id', '=', org).execute()
}
