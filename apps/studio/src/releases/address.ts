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
 * Replace the id of a release in the URL with its number, which people know: links from notifications and executions
 * contain only the id.
 * @param addressOf builds the URL of the page
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
    // The response is cached under the number, too, so that the page does not fetch it again.
    queryClient.setQueryData(keyOf(RELEASE, { path: numbered }), release)
    go(addressOf(oid, pid, release.number), { replace: true, search: true })
  }, [go, addressOf, oid, pid, rid, release])
}
