import type { Caller } from '../../access/caller.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { ReleaseRow } from '../releases/events.ts'
import { atRelease } from '../releases/release-scope.ts'
import { executionIn } from './repository.ts'
import type { ExecutionRow } from './rollout-state.ts'

/** The execution of a path, with its release. */
export interface AtExecution {
  readonly release: ReleaseRow
  readonly execution: ExecutionRow
}

/** Throws `not-found`. */
export const atExecution = async (
  place: InProject,
  params: Readonly<Record<string, string>>,
  caller: Caller,
): Promise<AtExecution> => {
  const release = await atRelease(place, params, caller)
  return { release, execution: await executionIn(place.member.scope, release.id, params['eid'] ?? '') }
}
