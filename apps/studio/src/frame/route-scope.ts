import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useGet } from '../api/data.ts'
import type { components } from '../api/schema.ts'

type Schemas = components['schemas']
type Me = Schemas['Me']
export type MyOrganization = Me['organizations'][number]
export type Action = MyOrganization['my_permissions'][number]

/** The signed-in user, with organizations and permissions. */
export const useMe = () => useGet('/api/v1/me', {})

/** A path parameter of the URL; empty if the path does not have it. */
export function useParameter(name: string): string {
  const parameters: Readonly<Record<string, unknown>> = useParams({ strict: false })
  const value = parameters[name]
  return typeof value === 'string' ? value : ''
}

/** The ids in the URL. */
export function useIds(): { readonly oid: string; readonly pid: string } {
  return { oid: useParameter('org'), pid: useParameter('project') }
}

/** The organization in the URL; undefined if the user is not a member. */
export function useOrganization(): MyOrganization | undefined {
  const { oid } = useIds()
  return useMe().data?.organizations.find(({ id }) => id === oid)
}

/** Whether the user has a permission in the organization of the URL. */
export function useMay(action: Action): boolean {
  return useOrganization()?.my_permissions.includes(action) === true
}

/** The project in the URL. */
export function useProject() {
  const ids = useIds()
  return useGet('/api/v1/orgs/{oid}/projects/{pid}', { path: ids }, { enabled: ids.pid !== '' })
}

/** The environments of the project in the URL, in the order of releases. */
export function useEnvironments() {
  const ids = useIds()
  const found = useGet('/api/v1/orgs/{oid}/projects/{pid}/environments', { path: ids }, { enabled: ids.pid !== '' })
  const { data } = found
  // The API lists them by name.
  const ordered = useMemo(
    () => data && { ...data, items: data.items.toSorted((left, right) => left.order - right.order) },
    [data],
  )
  return { ...found, data: ordered }
}
