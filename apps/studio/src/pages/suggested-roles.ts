import type { components } from '../api/schema.ts'
import { useOrganization } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'

type Role = components['schemas']['Role']

/** A suggested role that the organization does not have yet. */
type SuggestedRole = Pick<Role, 'name' | 'permissions'>

const RISK_OFFICER: Role['permissions'] = ['project.read', 'audit.read', 'test.run', 'release.approve']
const RULE_AUTHOR: Role['permissions'] = [
  'project.read',
  'audit.read',
  'contract.edit',
  'fact.edit',
  'ruleset.edit',
  'test.run',
  'release.create',
  'release.execute',
]

/** Roles that most organizations need and the user may create, except those that already exist. */
export function useSuggestedRoles(existing: readonly Role[]): readonly SuggestedRole[] {
  const { members: texts } = usePageTexts()
  const rights = useOrganization()?.my_permissions ?? []
  if (!rights.includes('role.manage')) return []
  return [
    { name: texts.riskOfficer, permissions: RISK_OFFICER },
    { name: texts.ruleAuthor, permissions: RULE_AUTHOR },
  ].filter(
    ({ name, permissions }) =>
      permissions.every((right) => rights.includes(right)) && !existing.some((role) => role.name === name),
  )
}
