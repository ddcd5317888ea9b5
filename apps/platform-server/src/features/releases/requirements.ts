import type { Scope } from '../../database/scope.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import { enabledPolicies, matches, policyFor, type PolicyRow } from '../release-policies/repository.ts'
import type { Requirement } from './approvals.ts'

type Place = Pick<EnvironmentRow, 'id' | 'requires_release'>

/** The current requirements of a project's policies. */
export interface Asked {
  readonly requirements: readonly Requirement[]
  /** True if a failed case blocks the release. */
  readonly runsTests: boolean
  /** The weakest modes of contracts in environments that require one. */
  readonly contractModes: readonly RequiredMode[]
  /** The environments whose policy has requirements for the behavior. */
  readonly behaviors: readonly RequiredBehavior[]
}

/** The requirements of a policy for decisions and tests. */
export interface RequiredBehavior {
  readonly environmentId: string
  /** Changes of code that must be proved absent, such as `DENY->ALLOW`. */
  readonly forbid: readonly string[]
  /** Maximum percentage of recorded decisions that may change; null: no limit. */
  readonly maxChanged: number | null
  readonly coverage: PolicyRow['require_coverage']
}

/** The weakest mode in which rulesets may carry their contract in an environment. */
export interface RequiredMode {
  readonly environmentId: string
  readonly mode: NonNullable<PolicyRow['require_contract_mode']>
}

/**
 * The required approvers of a release to environments: the policy of the highest priority decides in each; without a
 * policy, an environment that requires releases needs one approval. A breaking contract also needs that of an owner.
 */
export async function askedFor(
  scope: Scope,
  project: string,
  environments: readonly Place[],
  isBreaking: boolean,
): Promise<Asked> {
  return askedBy(await enabledPolicies(scope, project), environments, isBreaking)
}

/** Like `askedFor`, for known policies. @param policies those of `enabledPolicies` */
export function askedBy(policies: readonly PolicyRow[], environments: readonly Place[], isBreaking: boolean): Asked {
  const matching = policies.filter((policy) => environments.some(({ id }) => matches(policy, id)))
  return {
    requirements: [...environments.flatMap((one) => requirementOf(policies, one)), ...(isBreaking ? [BREAKING] : [])],
    runsTests: matching.length === 0 || matching.some(({ auto_run_tests }) => auto_run_tests),
    contractModes: environments.flatMap(({ id }) => {
      const mode = policyFor(policies, id)?.require_contract_mode ?? null
      return mode === null ? [] : [{ environmentId: id, mode }]
    }),
    behaviors: environments.flatMap(({ id }) => behaviorOf(policies, id)),
  }
}

function behaviorOf(policies: readonly PolicyRow[], environmentId: string): readonly RequiredBehavior[] {
  const policy = policyFor(policies, environmentId)
  if (policy === undefined) return []
  const { forbid, max_changed: maxChanged, require_coverage: coverage } = policy
  const isEmpty = forbid.length === 0 && maxChanged === null && coverage === null
  return isEmpty ? [] : [{ environmentId, forbid, maxChanged, coverage }]
}

const BREAKING: Requirement = {
  environment_id: null,
  policy_id: null,
  min_count: 1,
  roles: ['owner'],
  exclude_authors: false,
}

function requirementOf(policies: readonly PolicyRow[], { id, requires_release }: Place): readonly Requirement[] {
  const policy = policyFor(policies, id)
  if (policy !== undefined) {
    const { min_count, roles, exclude_authors } = policy
    return [{ environment_id: id, policy_id: policy.id, min_count, roles, exclude_authors }]
  }
  if (!requires_release) return []
  return [{ environment_id: id, policy_id: null, min_count: 1, roles: [], exclude_authors: false }]
}
