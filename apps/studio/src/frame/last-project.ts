import { useEffect } from 'react'
import { useGet } from '../api/data.ts'

const keyOf = (oid: string) => `studio.project.${oid}`

/**
 * The project that was open before the pages of its organization, for the way back. Undefined: none was open in this tab, or
 * it is gone.
 */
export function useLastProject(oid: string, pid: string): { readonly id: string; readonly name: string } | undefined {
  useEffect(() => {
    if (pid !== '') sessionStorage.setItem(keyOf(oid), pid)
  }, [oid, pid])
  const last = pid === '' ? (sessionStorage.getItem(keyOf(oid)) ?? '') : ''
  const path = { oid, pid: last }
  return useGet('/api/v1/orgs/{oid}/projects/{pid}', { path }, { enabled: last !== '' }).data
}
