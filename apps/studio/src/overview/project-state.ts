import { useQueries } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { keyOf, useGet, useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useEnvironments, useIds, useMay } from '../frame/route-scope.ts'
import { type DraftItem, type Environment, type Release, type Rolling } from './board.ts'
import { isRunning, useExecutions } from '../releases/executions.ts'

const ORGANIZATION = '/api/v1/orgs/{oid}'
const PROJECT = `${ORGANIZATION}/projects/{pid}` as const
const TESTS_RUN = `${PROJECT}/tests/run` as const
/** Engine reports and canary progress cause no project event. */
const POLL_INTERVAL_MS = 15_000
/** Test runs load the platform, so their results are cached for a while. */
const TESTS_CACHE_MS = 60_000

export type Server = components['schemas']['Server']
type TestRun = components['schemas']['ProjectTestRun']
type Execution = components['schemas']['ReleaseExecution']

/** All data of a project overview, except its counts. */
export interface ProjectState {
  readonly drafts: readonly DraftItem[]
  readonly environments: readonly Environment[]
  readonly releases: readonly Release[]
  readonly rolling: readonly (Rolling & { readonly execution: Execution | undefined })[]
  /** Ids of the releases that wait for the user. */
  readonly forMe: ReadonlySet<string>
  readonly servers: readonly Server[]
  /** Undefined if unknown, or if the user may not run tests. */
  readonly tests: TestRun | undefined
}

interface Loading {
  readonly state: ProjectState | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
}

export function useProjectState(): Loading {
  const { oid, pid } = useIds()
  const path = { oid, pid }
  const drafts = useList(`${PROJECT}/rulesets`, { path })
  const environments = useEnvironments()
  const releases = useList(`${PROJECT}/releases`, { path, query: { limit: 50 } })
  const mine = useList(`${ORGANIZATION}/releases/pending-for-me`, { path: { oid } })
  const servers = useGet(
    '/api/v1/servers',
    { query: { org_id: oid, limit: 100 } },
    { refetchInterval: POLL_INTERVAL_MS },
  )
  const running = (releases.items ?? []).filter(isRunning)
  const executions = useExecutions(oid, running)
  const tests = useTests(drafts.items)
  const refetch = () => Promise.all([drafts.refetch(), environments.refetch(), releases.refetch()])
  const error = drafts.error ?? environments.error ?? releases.error
  if (drafts.items === undefined || environments.data === undefined || releases.items === undefined)
    return { state: undefined, error, refetch }
  const rolling = running.map((release, index) => {
    const execution = executions[index]
    return {
      release,
      execution,
      environment: execution?.environment ?? release.environments[0] ?? null,
      percent: execution?.step === 'canary' ? execution.stage?.percent : undefined,
    }
  })
  return {
    state: {
      drafts: drafts.items,
      environments: environments.data.items,
      releases: releases.items,
      rolling,
      forMe: new Set(mine.items?.map(({ id }) => id)),
      servers: servers.data?.items ?? [],
      tests,
    },
    error: null,
    refetch,
  }
}

/** The results of the saved tests for the stored drafts. */
function useTests(drafts: readonly DraftItem[] | undefined): TestRun | undefined {
  const { oid, pid } = useIds()
  const mayRun = useMay('test.run')
  const version = drafts?.map(({ name, seq }) => `${name} ${seq}`).join(',')
  const [found] = useQueries({
    queries: [
      {
        queryKey: keyOf(TESTS_RUN, { pid, version }),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call('post', TESTS_RUN, { path: { oid, pid }, body: {} }, signal),
        enabled: mayRun && drafts !== undefined && drafts.length > 0,
        staleTime: TESTS_CACHE_MS,
      },
    ],
  })
  return found.data
}

/** Engines of an environment, and the number of those in contact. */
export function enginesOf({ server_ids: ids }: Environment, servers: readonly Server[]) {
  const own = servers.filter(({ id }) => ids.includes(id))
  return { own, online: own.filter(({ status }) => status === 'online').length, all: ids.length }
}
