import type { DraftRuleset, TableStep } from '@engine/authoring'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../../api/client.ts'
import { keyOf, useGet } from '../../api/data.ts'
import { useIds } from '../../frame/route-scope.ts'
import { ask } from '../../language/language.ts'
import type { CountedBranches, Surroundings } from '../../language/tasks.ts'
import type { OpenGraph } from '../../session/open-graph.ts'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'
const DECISIONS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/decisions'
/** Maximum number of recorded decisions to replay, the newest first. */
const MAX_COUNT = 1000
const PAGE = 100

/** How often decisions take each row of a table. */
export interface Seen {
  /** By row index; undefined while computing. */
  readonly counts: readonly number[] | undefined
  /** Number of decisions; undefined while loading. */
  readonly total: number | undefined
  /** The environment whose engines counted all decisions; undefined if the newest recorded ones were replayed. */
  readonly environment: string | undefined
  readonly error: Error | null
}

/** The newest recorded inputs of a ruleset, of one environment if given. */
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
 * How many inputs reach each step, branch and row of a draft, by JSON pointer with positions as keys: a worker executes
 * them, unless engines have counted them. Undefined while computing, or if the draft has problems.
 */
export function useHits(
  draft: DraftRuleset | undefined,
  surroundings: Surroundings,
  source: { readonly inputs: readonly unknown[] } | { readonly counts: CountedBranches } | undefined,
): ReadonlyMap<string, number> | undefined {
  const [hits, setHits] = useState<ReadonlyMap<string, number>>()
  useEffect(() => {
    if (draft === undefined || source === undefined || ('inputs' in source && source.inputs.length === 0)) return
    let isCurrent = true
    ask('seen', { draft, ...surroundings, ...source }).then(
      (found) => isCurrent && setHits(found),
      () => undefined,
    )
    return () => void (isCurrent = false)
  }, [source, draft, surroundings])
  return hits
}

/**
 * The counts of the engines for the content of a save, in the last environment that has it; null if they have not
 * executed it, undefined while loading.
 */
function useCounted(name: string, seq: number | undefined) {
  const path = { ...useIds(), name }
  const isAsked = seq !== undefined
  const contents = useGet(`${RULESET}/deployments`, { path, query: { limit: 200 } }, { enabled: isAsked })
  const digest = contents.data?.items.find((one) => one.seq === seq)?.digest
  const counts = useGet(
    `${RULESET}/branch-counts`,
    { path, query: { digest: digest ?? '' } },
    { enabled: digest !== undefined },
  )
  if (!isAsked || (contents.data !== undefined && digest === undefined)) return null
  if (contents.error !== null || counts.error !== null) return null
  return counts.data && (counts.data.environments.at(-1) ?? null)
}

/**
 * The rows that decisions take with the displayed draft. If it is a save that engines execute, these are the engines'
 * counts of the last 30 days; otherwise the newest recorded decisions are replayed. Engines count only rows of tables
 * with the hit policy *first*.
 *
 * @param seq the displayed save; undefined if the draft has changes
 */
export function useSeen(
  name: string,
  draft: DraftRuleset,
  surroundings: Surroundings,
  graph: OpenGraph,
  table: TableStep | undefined,
  seq: number | undefined,
  isShown: boolean,
): Seen {
  const counted = useCounted(name, isShown && table?.hitPolicy === 'first' ? seq : undefined)
  const { data: inputs, error } = useRecordedInputs(name, undefined, isShown && counted === null)
  const source = useMemo(
    () => (counted ? { counts: counted.branches } : inputs && counted === null ? { inputs } : undefined),
    [counted, inputs],
  )
  const hits = useHits(draft, surroundings, isShown ? source : undefined)
  return useMemo(() => {
    const prefix = `${graph.prefix}/steps/${graph.draft.steps.findIndex(({ id }) => id === table?.id)}/rows/`
    const counts = hits && table?.rows.map((_row, index) => hits.get(`${prefix}${index}`) ?? 0)
    return { counts, total: counted?.executions ?? inputs?.length, environment: counted?.environment, error }
  }, [hits, table, graph, counted, inputs, error])
}
