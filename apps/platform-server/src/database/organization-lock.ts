import type { Kysely } from 'kysely'
import type { OrgId } from './org-id.ts'
import type { Tables } from './tables.ts'

/** Takes the lock of an organization until the end of this transaction. */
export async function lockOrganization(transaction: Kysely<Tables>, org: OrgId): Promise<void> {
  await transaction
    .selectFrom('organizations')
    .select('org_id')
    .where('org_id', '=', org)
    // FOR UPDATE would keep rows that refer to the organization waiting: PostgreSQL checks the reference of an engine again
    // when a heartbeat updates it twice, and a publication that waits for the engine would deadlock with it.
    .forNoKeyUpdate()
    .execute()
}
