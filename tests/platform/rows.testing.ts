import { randomUUIDv7 } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { Action } from '../../apps/platform-server/src/access/actions.ts'
import type { Person } from '../../apps/platform-server/src/access/caller.ts'
import { type InOrganization, memberOf } from '../../apps/platform-server/src/access/membership.ts'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import type { InProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import { projectIn } from '../../apps/platform-server/src/features/projects/repository.ts'
import { Acting } from '../../apps/platform-server/src/resources/acting.ts'
import type { World } from './world.testing.ts'

/** For tests of services with the rows of a database and without a server: callers, places, audit entries and refusals. */

/** A person as a caller. */
export const personOf = ({ id, email = '' }: { readonly id: string; readonly email?: string }): Person => ({
  kind: 'user',
  id,
  email,
  displayName: 'Ann',
  sessionId: randomUUIDv7(),
})

/** Changes in the project of a world by the owner of its organization. */
export async function actingIn(database: Database, { org, project: id, cast }: World): Promise<Acting<InProject>> {
  const caller = personOf(cast.owner)
  const [member, project] = [await memberOf(database, caller, org), await projectIn(database.scope(org), id)]
  if (member === undefined || project === undefined) throw new Error('the world is incomplete')
  return new Acting({ database, place: { member, project }, caller, author: SYSTEM })
}

/** Changes in the organization of a world by a member with these actions. */
export function actingWith(
  database: Database,
  { org }: World,
  permissions: readonly Action[],
  { id, roles = [] }: { readonly id: string; readonly roles?: readonly string[] },
): Acting<InOrganization> {
  const rights = { permissions: new Set(permissions), roles: new Set(roles), reachesAll: true, withheld: new Map() }
  const place = { member: { org, scope: database.scope(org), ...rights } } as InOrganization
  return new Acting({ database, place, caller: personOf({ id }), author: SYSTEM })
}

/** An error of this code, with `details[0].code`. */
const refusedBy = (code: string) => (reason: string) =>
  expect.objectContaining({ code, details: [expect.objectContaining({ code: reason })] })
export const conflict = refusedBy('conflict')
export const forbidden = refusedBy('forbidden')

/** The audit entries of an action, oldest first. */
export const auditOf = (scope: Scope, action: string) =>
  scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .selectAll()
    .where('action', '=', action)
    .orderBy('id')
    .execute()

/** Whether a topic was announced until the end of some work. */
export async function isAnnounced(database: Database, topic: string, work: () => Promise<unknown>): Promise<boolean> {
  let isHeard = false
  onTestFinished(database.wakes.on(topic, (isCertain) => void (isHeard ||= isCertain)))
  await work()
  return isHeard
}
