import type { Problem } from '@engine/authoring'
import { quote } from '@engine/expression'
import { type Approval, countApprovers, type Requirement } from './approvals.ts'

/**
 * Requirements that the current members cannot meet: too few of them have the roles and are not excluded as authors.
 * They are only warnings, since roles and policies change.
 *
 * @param names of environments by their ids
 */
export function approvalWarnings(
  requirements: readonly Requirement[],
  approval: Omit<Approval, 'approvers'>,
  names: ReadonlyMap<string, string>,
): readonly Problem[] {
  return requirements.flatMap((requirement): readonly Problem[] => {
    const able = countApprovers(requirement, approval)
    if (able >= requirement.min_count) return []
    return [
      {
        path: requirement.environment_id === null ? '/acknowledge_breaking' : '/environments',
        message: `${subjectOf(requirement, names)} needs ${desiredRulesets(requirement)}, but ${ableText(able)}`,
        code: 'approvals_impossible',
        severity: 'warning',
      },
    ]
  })
}

function subjectOf({ environment_id: id }: Requirement, names: ReadonlyMap<string, string>): string {
  return id === null ? 'a breaking contract' : quote(names.get(id) ?? id)
}

function desiredRulesets({ min_count: count, roles, exclude_authors }: Requirement): string {
  const approvals = count === 1 ? '1 approval' : `${count} approvals`
  const by = roles.length === 0 ? '' : ` by ${roles.map((role) => quote(role)).join(' or ')}`
  return `${approvals}${by}${exclude_authors ? ', not by authors of the release' : ''}`
}

function ableText(able: number): string {
  if (able === 0) return 'nobody in this organization can give one'
  return able === 1 ? 'only 1 member can give one' : `only ${able} members can give one`
}
