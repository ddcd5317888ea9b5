import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keyOf } from './data.ts'
import { listen } from './event-stream.ts'

const REPLAYS = '/api/v1/orgs/{oid}/projects/{pid}/replays'
/** The platform closes the stream after these. */
const LAST: ReadonlySet<string> = new Set(['completed', 'failed'])

/** Fetches the displayed replays again at each event of a running one. */
export function useReplayProgress(
  { oid, pid }: { readonly oid: string; readonly pid: string },
  id: string,
  isRunning: boolean,
): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isRunning) return
    const readAgain = () => {
      for (const path of [REPLAYS, `${REPLAYS}/{id}`] as const) void client.invalidateQueries({ queryKey: keyOf(path) })
    }
    return listen(`/api/v1/orgs/${oid}/projects/${pid}/replays/${id}/events`, {
      types: ['progress', ...LAST],
      // The replay may have ended before the page subscribed.
      tell: (state) => state === 'lost' && readAgain(),
      take(type) {
        readAgain()
        return LAST.has(type)
      },
    })
  }, [client, oid, pid, id, isRunning])
}
