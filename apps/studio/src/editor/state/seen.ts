import type { DraftRuleset, TableStep } from '@engine/authoring'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { keyOf } from '../../api/data.ts'
import { useIds } from '../../frame/route-scope.ts'
import { ask } from '../../language/language.ts'
import type { Surroundings } from '../../language/tasks.ts'
import type { OpenGraph } from '../../session/open-graph.ts'

const DECISIONS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/decisions'
/** Recorded decisions that are replayed: the newest ones. */
const MAX_COUNT = 1000
const PAGE = 100

/** How often recorded decisions take each row of a table. */
export interface Seen {
  /** By the index of the row; undefined: not known yet. */
  readonly counts: readonly number[] | undefined
  /** Number of recorded decisions; undefined: not loaded yet. */
  readonly total: number | undefined
  readonly error: Error | null
}

/** The rows that recorded decisions take with the draft on the screen: they are replayed in a worker. */
export function useSeen(
  name: string,
  draft: DraftRuleset,
  surroundings: Surroundings,
  graph: OpenGraph,
  table: TableStep | undefined,
  isShown: boolean,
): Seen {
  const path = { ...useIds(), name }
  const { data: inputs, error } = useQuery({
    queryKey: keyOf(DECISIONS, { path, newest: MAX_COUNT }),
    queryFn: async ({ signal }) => {
      const found: unknown[] = []
      let cursor: string | null = null
      do {
        const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) }
        const page = await call('get', DECISIONS, { path, query }, signal)
        found.push(...page.items.map(({ input }) => input))
        cursor = page.next_cursor
      } while (cursor !== null && found.length < MAX_COUNT)
      return found
    },
    enabled: isShown,
  })
  const [hits, setHits] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    if (!isShown || inputs === undefined || inputs.length === 0) return
    let isCurrent = true
    ask('seen', { draft, ...surroundings, inputs }).then(
      (found) => isCurrent && setHits(found),
      () => undefined,
    )
    return () => void (isCurrent = false)
  }, [isShown, inputs, draft, surroundings])
  return useMemo(() => {
    const prefix = `${graph.prefix}/steps/${graph.draft.steps.findIndex(({ id }) => id === table?.id)}/rows/`
    const counts = hits && table?.rows.map((_row, index) => hits.get(`${prefix}${index}`) ?? 0)
    return { counts, total: inputs?.length, error }
  }, [hits, table, graph, inputs, error])
}
