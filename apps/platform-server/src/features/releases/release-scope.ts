import type { Caller } from '../../access/caller.ts'
import { failures } from '../../errors.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { ReleaseRow } from './events.ts'
import { reachedEnvironments, releaseBy, type ReleaseFilter } from './repository.ts'

export const group = 'Releases'
export const ALL = '/api/v1/orgs/:oid/projects/:pid/releases'
export const ONE = `${ALL}/:rid`

/** The release that a path names. Throws `not-found`, also for a release to environments that a key cannot access. */
export async function atRelease(
  { member, project }: InProject,
  { rid = '' }: Readonly<Record<string, string>>,
  caller: Caller,
): Promise<ReleaseRow> {
  const row = await releaseBy(member.scope, project.id, rid)
  if (caller.kind === 'user' || caller.environments === null) return row
  const names = await reachedEnvironments(member.scope, row.id)
  const { environments } = caller
  if (!names.every((name) => environments.includes(name))) throw failures.notFound('release', rid)
  return row
}

/** The releases that a caller may see: for a limited key only those within its projects and environments. */
export const reachOf = (caller: Caller): Pick<ReleaseFilter, 'projects' | 'environments'> =>
  caller.kind === 'user' ? {} : { projects: caller.projectIds, environments: caller.environments }
