import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../jobs/periodic.ts'

const HOUR_MS = 3600 * 1000
/** Maximum number of decisions, and of refused inputs, per ruleset and environment, regardless of their age. */
const MAX_KEPT = 100_000

/**
 * Decisions and refused inputs are counted separately: a caller with many invalid inputs must not displace decisions.
 */
const OUTCOMES = ['is not', 'is'] as const

/**
 * Deletes decisions beyond the retention time of their environment, and those beyond the maximum number of each
 * outcome.
 */
export function recordingCleanUp(tables: Kysely<Tables>, mostKept = MAX_KEPT): Job {
  return {
    name: 'recorded-decisions',
    intervalMs: HOUR_MS,
    leaseMs: 5 * 60_000,
    async run() {
      for (const { environment_id, ruleset_name, recording } of await recordedIn(tables)) {
        const { retention_days: days } = recording
        const own = tables
          .deleteFrom('recorded_decisions')
          .where('environment_id', '=', environment_id)
          .where('ruleset_name', '=', ruleset_name)
        await own.where('created_at', '<', new Date(Date.now() - days * 24 * HOUR_MS)).execute()
        for (const has of OUTCOMES) {
          const last = await firstBeyond(tables, environment_id, ruleset_name, has, mostKept)
          if (last === undefined) continue
          await own
            .where('code', has, null)
            .where((eb) => eb.or([eb('at', '<', last.at), eb.and([eb('at', '=', last.at), eb('id', '<=', last.id)])]))
            .execute()
        }
      }
    },
  }
}

/** Rulesets with decisions, and the retention settings of their environments. */
function recordedIn(tables: Kysely<Tables>) {
  return tables
    .selectFrom('recorded_decisions as d')
    .innerJoin('environments as e', (join) =>
      join.onRef('e.org_id', '=', 'd.org_id').onRef('e.id', '=', 'd.environment_id'),
    )
    .select(['d.environment_id', 'd.ruleset_name', 'e.recording'])
    .distinctOn(['d.environment_id', 'd.ruleset_name'])
    .execute()
}

/** The newest excess decision of an outcome; undefined if there is none. */
function firstBeyond(
  tables: Kysely<Tables>,
  environment: string,
  ruleset: string,
  has: (typeof OUTCOMES)[number],
  mostKept: number,
) {
  return tables
    .selectFrom('recorded_decisions')
    .select(['at', 'id'])
    .where('environment_id', '=', environment)
    .where('ruleset_name', '=', ruleset)
    .where('code', has, null)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(mostKept)
    .limit(1)
    .executeTakeFirst()
}
