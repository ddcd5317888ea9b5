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

/** The newest recorded inputs of a ruleset; of one environment where it is named. */
export function useRecordedInputs(name: string, environment: string | undefined, isShown: boolean) {
  const path = { ...useIds(), name }
  return useQuery({
    queryKey: keyOf(DECISIONS, { path, newest: MAX_COUNT, environment }),
    queryFn: async ({ signal }) => {
      const found: unknown[] = []
      const query: { limit: number; cursor?: string; environment?: string } = { limit: PAGE }
      if (environment !== undefined) query.environment = environment
      for (;;) {
        const { items, next_cursor: next } = await call('get', DECISIONS, { path, query }, signal)
        found.push(...items.map(({ input }) => input))
        if (next === null || found.length >= MAX_COUNT) return found
        query.cursor = next
      }
    },
    enabled: isShown,
  })
}

/**
 * How many inputs reach each step, branch and row of a draft, by JSON pointer with positions as keys: they are decided in a
 * worker. Undefined: not known yet, or a draft with problems.
 */
export function useHits(
  draft: DraftRuleset | undefined,
  surroundings: Surroundings,
  inputs: readonly unknown[] | undefined,
): ReadonlyMap<string, number> | undefined {
  const [hits, setHits] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    if (draft === undefined || inputs === undefined || inputs.length === 0) return
    let isCurrent = true
    ask('seen', { draft, ...surroundings, inputs }).then(
      (found) => isCurrent && setHits(found),
      () => undefined,
    )
    return () => void (isCurrent = false)
  }, [inputs, draft, surroundings])
  return hits
}

/** The rows that recorded decisions take with the draft on the screen. */
export function useSeen(
  name: string,
  draft: DraftRuleset,
  surroundings: Surroundings,
  graph: OpenGraph,
  table: TableStep | undefined,
  isShown: boolean,
): Seen {
  const { data: inputs, error } = useRecordedInputs(name, undefined, isShown)
  const hits = useHits(draft, surroundings, isShown ? inputs : undefined)
  return useMemo(() => {
    const prefix = `${graph.prefix}/steps/${graph.draft.steps.findIndex(({ id }) => id === table?.id)}/rows/`
    const counts = hits && table?.rows.map((_row, index) => hits.get(`${prefix}${index}`) ?? 0)
    return { counts, total: inputs?.length, error }
  }, [hits, table, graph, inputs, error])
}
