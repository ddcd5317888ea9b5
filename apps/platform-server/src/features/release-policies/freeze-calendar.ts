import { createPauses } from '@engine/process'
import type { Scope } from '../../database/scope.ts'
import { frozenTimesIn, type TimeRange } from './freeze-window.ts'
import type { FrozenTime } from './model.ts'
import { enabledPolicies, environmentNames, policyFor } from './repository.ts'

/** Maximum number of listed windows of one environment. */
const MAX_WINDOWS = 100

/**
 * The windows of a range by environment, in the order of their start. Yields to other work between windows: those of
 * one policy can take half a second.
 */
export async function frozenTimes(scope: Scope, project: string, range: TimeRange): Promise<readonly FrozenTime[]> {
  const policies = await enabledPolicies(scope, project)
  const names = await environmentNames(scope, project)
  // Environments with the same policy share a search.
  const known = new Map<string, readonly TimeRange[]>()
  const pause = createPauses()
  const all: FrozenTime[] = []
  for (const [id, environment] of names) {
    const policy = policyFor(policies, id)
    if (policy === undefined || policy.freeze_window === null) continue
    const times = known.get(policy.id) ?? (await pausingArray(frozenTimesIn(policy.freeze_window, range), pause))
    known.set(policy.id, times)
    const { id: policy_id, name } = policy
    for (const { from, to } of times)
      all.push({ environment, policy_id, policy: name, from: from.toISOString(), to: to.toISOString() })
  }
  return all.toSorted(
    (one, other) => Date.parse(one.from) - Date.parse(other.from) || (one.environment < other.environment ? -1 : 1),
  )
}

async function pausingArray(
  times: Generator<TimeRange>,
  pause: ReturnType<typeof createPauses>,
): Promise<readonly TimeRange[]> {
  const found: TimeRange[] = []
  for (const time of times.take(MAX_WINDOWS)) {
    found.push(time)
    const turn = pause()
    if (turn !== undefined) await turn
  }
  return found
}
