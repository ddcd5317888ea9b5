import type { components } from '../api/schema.ts'
import { useOrganization } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { type SuggestedRole, suggestedRoles } from './role-suggestions.ts'

/** Roles that most organizations need and the user may create, except those that already exist. */
export function useSuggestedRoles(existing: readonly components['schemas']['Role'][]): readonly SuggestedRole[] {
  const { members: texts } = usePageTexts()
  const rights = useOrganization()?.my_permissions ?? []
  return suggestedRoles({ riskOfficer: texts.riskOfficer, ruleAuthor: texts.ruleAuthor }, rights, existing)
}
