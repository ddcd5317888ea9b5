import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../jobs/periodic.ts'

const HOUR_MS = 3600 * 1000
/** Decisions of one ruleset in one environment that are kept, whatever their age. */
const MOST_KEPT = 100_000

/** Delete decisions that are older than their environment keeps them, and those beyond the number that is kept. */
export function recordingCleanUp(tables: Kysely<Tables>, mostKept = MOST_KEPT): Job {
  return {
    name: 'recorded-decisions',
    intervalMs: HOUR_MS,
    leaseMs: 5 * 60_000,
    async run() {
      await sql`delete from recorded_decisions d using environments e
        where e.org_id = d.org_id and e.id = d.environment_id
          and d.created_at < now() - make_interval(days => (e.recording ->> 'retention_days')::int)`.execute(tables)
      const { rows } = await sql<{ org_id: string; environment_id: string; ruleset_name: string }>`
        select org_id, environment_id, ruleset_name from recorded_decisions
        group by 1, 2, 3 having count(*) > ${mostKept}`.execute(tables)
      for (const { org_id, environment_id, ruleset_name } of rows)
        await sql`delete from recorded_decisions where id in (
          select id from recorded_decisions
          where org_id = ${org_id} and environment_id = ${environment_id} and ruleset_name = ${ruleset_name}
          order by at desc, id desc offset ${mostKept})`.execute(tables)
    },
  }
}
