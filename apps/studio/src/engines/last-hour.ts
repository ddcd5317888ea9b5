import { useQueries } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { keyOf } from '../api/data.ts'

const METRICS = '/api/v1/servers/{id}/metrics'
const HOUR_MS = 3_600_000
/** Seconds per data point: an hour has one or two. */
const STEP = 3600
const POLL_INTERVAL_MS = 30_000

/** Counts of an engine in the last hour. */
interface Counts {
  readonly decisions: number
  readonly errors: number
}

/** The sums of all points. */
export function countsIn(
  series: readonly { readonly name: string; readonly points: readonly { readonly value: number }[] }[],
): Counts {
  const sum = (name: string) =>
    series
      .filter((one) => one.name === name)
      .flatMap(({ points }) => points)
      .reduce((total, { value }) => total + value, 0)
  return { decisions: sum('executions'), errors: sum('errors') }
}

/** Decisions and errors of engines in the last hour, in the order of the ids; undefined while loading. */
export function useLastHour(ids: readonly string[]): readonly (Counts | undefined)[] {
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: keyOf(METRICS, { id, last: 'hour' }),
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Counts> => {
        const from = new Date(Date.now() - HOUR_MS).toISOString()
        const { series } = await call('get', METRICS, { path: { id }, query: { from, step: STEP } }, signal)
        return countsIn(series)
      },
      refetchInterval: POLL_INTERVAL_MS,
    })),
  }).map(({ data }) => data)
}
