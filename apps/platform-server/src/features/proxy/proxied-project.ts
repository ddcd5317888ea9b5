import { type Caller, reachesProject } from '../../access/caller.ts'
import { memberOf, withheldInProject } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import { inProject, type InProject } from '../projects/project-scope.ts'
import type { FindDestinations, ProxiedProject } from './destinations.ts'

/** A caller in a project, with the destinations of its requests. */
export interface ProxyPlace extends Pick<InProject, 'member'>, ProxiedProject {}

/**
 * Finds a caller in the project `:pid`. The project of an API key is cached; that of a person, whose session and
 * membership are read for each request, is not. Throws `not-found` like `inProject`.
 */
export function inProxiedProject(database: Database, find: FindDestinations) {
  const inStored = inProject(database)
  return async (caller: Caller, params: Readonly<Record<string, string>>): Promise<ProxyPlace> => {
    const { pid = '' } = params
    if (caller.kind === 'user') {
      const { member, project } = await inStored(caller, params)
      return { member, project, environments: (await find(member.org, project.id))?.environments ?? [] }
    }
    // A key acts in its own organization, which is part of the key.
    const member = await memberOf(database, caller, caller.orgId)
    const found = isId(pid) ? await find(caller.orgId, pid) : undefined
    if (member === undefined || found === undefined || !reachesProject(caller, found.project.id))
      throw failures.notFound('project', pid)
    return { ...found, member: { ...member, withheld: withheldInProject(caller) } }
  }
}
