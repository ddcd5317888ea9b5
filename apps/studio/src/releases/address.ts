import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { keyOf, queryClient } from '../api/data.ts'
import type { components } from '../api/schema.ts'

const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'

interface ReleasePath {
  readonly oid: string
  readonly pid: string
  readonly rid: string
}

/**
 * Replace the id of a release in the address by its number, by which people know it: links from notifications and
 * executions hold the id only.
 */
export function useNumberInAddress(path: ReleasePath, release: components['schemas']['Release'] | undefined): void {
  const navigate = useNavigate()
  const { oid, pid, rid } = path
  useEffect(() => {
    if (release === undefined || rid !== release.id) return
    const numbered = { oid, pid, rid: String(release.number) }
    // The page is shown again at once, before its answers are fetched by the number.
    queryClient.setQueryData(keyOf(RELEASE, { path: numbered }), release)
    void navigate({ to: '.', params: { rid: numbered.rid }, search: true, replace: true } as object)
  }, [navigate, oid, pid, rid, release])
}
