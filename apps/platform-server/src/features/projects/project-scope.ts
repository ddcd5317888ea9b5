import { type Caller, reachesProject } from '../../access/caller.ts'
import { type Member, memberOf, NO_ORG, withheldInProject } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { coalesceReads } from '../../database/read-coalescing.ts'
import { failures } from '../../errors.ts'
import { projectIn, type ProjectRow } from './repository.ts'

/** The project that a request names in its path. */
export interface InProject {
  readonly member: Member
  readonly project: ProjectRow
}

/**
 * Find a caller in the project `:pid`, with or without its organization `:oid` in the path. Throws `not-found` for a
 * project that is unknown, foreign, of another organization, or outside the projects of an API key.
 */
export function inProject(database: Database) {
  const projectOf = coalesceReads(
    ({ scope, pid }: { readonly scope: Scope; readonly pid: string }) => projectIn(scope, pid),
    ({ scope, pid }) => `${scope.org}/${pid}`,
  )
  return async (caller: Caller, params: Readonly<Record<string, string>>): Promise<InProject> => {
    const { oid, pid = '' } = params
    const org = isId(pid) ? (oid ?? (await organizationOf(database, caller, pid))) : undefined
    const member = await memberOf(database, caller, org ?? NO_ORG)
    const project = member && (await projectOf({ scope: member.scope, pid }))
    if (member === undefined || project === undefined || !reachesProject(caller, project.id))
      throw failures.notFound('project', pid)
    return { member: { ...member, withheld: withheldInProject(caller) }, project }
  }
}

/**
 * Used only to look up a membership: the project stays hidden until one is found. A key acts only in its own
 * organization.
 */
async function organizationOf({ unscoped }: Database, caller: Caller, pid: string): Promise<string | undefined> {
  if (caller.kind === 'key') return caller.orgId
  const found = await unscoped.tables.selectFrom('projects').select('org_id').where('id', '=', pid).executeTakeFirst()
  return found?.org_id
}
