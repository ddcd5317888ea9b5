import type { Scope } from '../../database/scope.ts'
import { enabledPolicies, policyFor } from '../release-policies/repository.ts'
import { type FreezeWindow, frozenUntil } from '../release-policies/freeze-window.ts'

/** A freeze window that is open. */
export interface Frozen {
  readonly environmentId: string
  readonly policy: string
  readonly until: Date
}

/** The windows of the policies that decide for environments which are open at a time. */
export async function frozenIn(
  scope: Scope,
  project: string,
  environments: readonly string[],
  now: Date,
): Promise<readonly Frozen[]> {
  const policies = await enabledPolicies(scope, project)
  return environments.flatMap((environmentId) => {
    const policy = policyFor(policies, environmentId)
    if (policy === undefined || policy.freeze_window === null) return []
    // Held to `freezeFaults` when the policy was stored.
    const until = frozenUntil(policy.freeze_window as unknown as FreezeWindow, now)
    return until === null ? [] : [{ environmentId, policy: policy.name, until }]
  })
}
