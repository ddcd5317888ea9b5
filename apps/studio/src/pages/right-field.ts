import { useOrganization } from '../frame/place.ts'
import type { FormField } from '../ui/form.tsx'

/** A choice of rights among those of the caller, who cannot grant others. */
export function useRightField(name: string, label: string): FormField {
  const rights = useOrganization()?.my_permissions ?? []
  return { name, label, kind: 'checks', options: rights.map((right) => ({ value: right, label: right })) }
}
