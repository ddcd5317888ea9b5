import { randomUUIDv7 } from 'node:crypto'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { newOrgId, type OrgId } from '../../apps/platform-server/src/database/org-id.ts'

/** A separate organization for one test, with nothing in it. */
export async function addOrganization(database: Database, name: string = randomUUIDv7()): Promise<OrgId> {
  const org = newOrgId()
  await database.change(org, SYSTEM, async ({ scope, audit }) => {
    await scope.insert('organizations', { name, created_by: 'system' }).execute()
    await audit({ action: 'organization.created', object: { id: org, name } })
  })
  return org
}
