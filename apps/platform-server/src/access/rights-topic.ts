import type { Change } from '../database/database.ts'

/** Wakes when rights change in any organization. */
export const RIGHTS_TOPIC = 'rights'

/** Wakes when rights change in one organization: a key is revoked, a member or a role changes. */
export const rightsTopic = (org: string) => `rights:${org.toLowerCase()}`

/** Announces that this change alters rights: cached callers of the organization are stale. */
export async function wakeRights({ wake }: Pick<Change, 'wake'>, org: string): Promise<void> {
  await wake(rightsTopic(org))
  await wake(RIGHTS_TOPIC)
}
