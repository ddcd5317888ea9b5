import { useEffect } from 'react'
import { keyOf, queryClient } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useGo } from '../ui/link.tsx'

const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'

interface ReleasePath {
  readonly oid: string
  readonly pid: string
  readonly rid: string
}

/**
 * Replace the id of a release in the address by its number, by which people know it: links from notifications and
 * executions hold the id only.
 * @param addressOf the page's address
 */
export function useNumberInAddress(
  path: ReleasePath,
  release: components['schemas']['Release'] | undefined,
  addressOf: (org: string, project: string, release: number) => string,
): void {
  const go = useGo()
  const { oid, pid, rid } = path
  useEffect(() => {
    if (release === undefined || rid !== release.id) return
    const numbered = { oid, pid, rid: String(release.number) }
    // The answer is that of the number too, so that the page does not wait for another one.
    queryClient.setQueryData(keyOf(RELEASE, { path: numbered }), release)
    go(addressOf(oid, pid, release.number), { replace: true, search: true })
  }, [go, addressOf, oid, pid, rid, release])
}
