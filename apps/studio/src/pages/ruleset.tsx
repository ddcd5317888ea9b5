import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useGet } from '../api/data.ts'
import { Editor } from '../editor/editor.tsx'
import type { EditorSearch } from '../editor/state/search.ts'
import '../styles/editor.css'
import { useTick } from '../first-steps/progress.ts'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { Pending } from '../ui/states.tsx'

/** Age up to which a draft that was prefetched counts as current. */
const PREFETCH_CACHE_MS = 1500

/** The editor of one ruleset. */
export function RulesetPage() {
  const ids = useIds()
  const name = useParameter('name')
  const search: EditorSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const found = useGet(
    '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}',
    { path: { ...ids, name } },
    { oldAfter: PREFETCH_CACHE_MS },
  )
  useTick('open', found.data !== undefined)
  const go = useCallback(
    (next: EditorSearch, isNew: boolean) => void navigate({ to: '.', search: next, replace: !isNew }),
    [navigate],
  )
  // Editing begins with the current draft, not with that of an earlier visit.
  const isOld = !found.isFetchedAfterMount && found.fetchStatus === 'fetching'
  if (found.data === undefined || isOld)
    return (
      <main className="page" id="main">
        <Pending of={found} lines={9} />
      </main>
    )
  return <Editor key={`${ids.pid} ${name}`} draft={found.data} search={search} go={go} />
}
