import { useOrganization } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import type { FormField } from '../ui/form-fields.ts'

/** A field to choose permissions among the user's own, since users cannot grant others. */
export function useRightField<Name extends string>(name: Name, label: string) {
  const rights = useOrganization()?.my_permissions ?? []
  const { rightNames } = usePageTexts()
  const options = rights.map((right) => ({ value: right, label: rightNames[right] }))
  return { name, label, kind: 'checks', options } as const satisfies FormField
}
