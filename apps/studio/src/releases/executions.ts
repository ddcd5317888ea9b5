import { useQueries } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { keyOf } from '../api/data.ts'
import type { components } from '../api/schema.ts'

type Release = components['schemas']['Release']
type Execution = components['schemas']['ReleaseExecution']

const EXECUTION = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/execution'
/** Engine reports and canary progress cause no project event. */
const POLL_INTERVAL_MS = 15_000

const RUNS: ReadonlySet<Release['status']> = new Set(['executing', 'paused', 'rolling_back'])

/** Whether a release is being rolled out or rolled back. */
export const isRunning = ({ status }: Pick<Release, 'status'>): boolean => RUNS.has(status)

/** The executions of running releases, in order; undefined while loading. */
export function useExecutions(oid: string, running: readonly Release[]): readonly (Execution | undefined)[] {
  return useQueries({
    queries: running.map(({ id: rid, project_id: pid }) => {
      const sent = { path: { oid, pid, rid } }
      return {
        queryKey: keyOf(EXECUTION, sent),
        queryFn: ({ signal }: { signal: AbortSignal }) => call('get', EXECUTION, sent, signal),
        refetchInterval: POLL_INTERVAL_MS,
      }
    }),
  }).map(({ data }) => data)
}
