import { defined } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import { enabledPolicies, policyFor, type PolicyRow } from '../release-policies/repository.ts'
import { frozenUntil } from '../release-policies/freeze-window.ts'

/** A freeze window that is open. */
export interface Frozen {
  readonly environmentId: string
  readonly policy: string
  readonly until: Date
}

/** The freeze windows that are open at a time, of the policies that apply to environments. */
export async function frozenIn(
  scope: Scope,
  project: string,
  environments: readonly string[],
  now: Date,
): Promise<readonly Frozen[]> {
  return openWindows(await enabledPolicies(scope, project), environments, now)
}

/**
 * Like `frozenIn`, for known policies, sorted by precedence.
 *
 * @internal
 */
export function openWindows(
  policies: readonly Pick<PolicyRow, 'name' | 'environments' | 'freeze_window'>[],
  environments: readonly string[],
  now: Date,
): readonly Frozen[] {
  return environments.flatMap((environmentId) => {
    const policy = policyFor(policies, environmentId)
    if (policy === undefined || policy.freeze_window === null) return []
    // Validated by `freezeFaults` when the policy was stored.
    const until = frozenUntil(defined(policy.freeze_window ?? undefined), now)
    return until === null ? [] : [{ environmentId, policy: policy.name, until }]
  })
}
