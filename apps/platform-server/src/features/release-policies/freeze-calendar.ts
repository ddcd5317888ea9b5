import type { Scope } from '../../database/scope.ts'
import { frozenTimesIn, type TimeRange } from './freeze-window.ts'
import type { FrozenTime } from './model.ts'
import { enabledPolicies, environmentNames, policyFor } from './repository.ts'

/** Windows of one environment that are listed. */
const MAX_WINDOWS = 100

/** The windows of a range by environment, in the order of their begin. */
export async function frozenTimes(scope: Scope, project: string, range: TimeRange): Promise<readonly FrozenTime[]> {
  const policies = await enabledPolicies(scope, project)
  const names = await environmentNames(scope, project)
  // Environments with the same policy share a search.
  const known = new Map<string, readonly TimeRange[]>()
  const all = [...names].flatMap(([id, environment]) => {
    const policy = policyFor(policies, id)
    if (policy === undefined || policy.freeze_window === null) return []
    const times = known.get(policy.id) ?? frozenTimesIn(policy.freeze_window, range, MAX_WINDOWS)
    known.set(policy.id, times)
    const { id: policy_id, name } = policy
    return times.map(({ from, to }) => ({
      environment,
      policy_id,
      policy: name,
      from: from.toISOString(),
      to: to.toISOString(),
    }))
  })
  return all.toSorted(
    (one, other) => Date.parse(one.from) - Date.parse(other.from) || (one.environment < other.environment ? -1 : 1),
  )
}
