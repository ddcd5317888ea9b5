import type { components } from '../api/schema.ts'

type Role = components['schemas']['Role']

/** A suggested role that the organization does not have yet. */
export type SuggestedRole = Pick<Role, 'name' | 'permissions'>

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

/** The suggested roles of a user with these rights, none of which grants more than the user has. */
export function suggestedRoles(
  names: { readonly riskOfficer: string; readonly ruleAuthor: string },
  rights: Role['permissions'],
  existing: readonly Pick<Role, 'name'>[],
): readonly SuggestedRole[] {
  if (!rights.includes('role.manage')) return []
  return [
    { name: names.riskOfficer, permissions: RISK_OFFICER },
    { name: names.ruleAuthor, permissions: RULE_AUTHOR },
  ].filter(
    ({ name, permissions }) =>
      permissions.every((right) => rights.includes(right)) && !existing.some((role) => role.name === name),
  )
}
