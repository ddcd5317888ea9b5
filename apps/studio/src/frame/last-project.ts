import { useEffect } from 'react'
import { useGet } from '../api/data.ts'

const keyOf = (oid: string) => `studio.project.${oid}`

/**
 * The last project before the pages of its organization, for the link back. Undefined if none was open in this tab, or
 * it was deleted.
 */
export function useLastProject(oid: string, pid: string): { readonly id: string; readonly name: string } | undefined {
  useEffect(() => {
    if (pid !== '') sessionStorage.setItem(keyOf(oid), pid)
  }, [oid, pid])
  const last = pid === '' ? (sessionStorage.getItem(keyOf(oid)) ?? '') : ''
  const path = { oid, pid: last }
  return useGet('/api/v1/orgs/{oid}/projects/{pid}', { path }, { enabled: last !== '' }).data
}
