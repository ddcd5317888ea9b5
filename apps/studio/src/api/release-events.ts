import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { parseJson } from '@engine/expression'
import { BASE } from './client.ts'
import { keyOf } from './data.ts'
import type { components } from './schema.ts'

export type ReleaseEvent = components['schemas']['ReleaseEvent']
const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'
/** Reading again is what an event asks for; several within this time ask once. */
const JOIN_MS = 150

/** How the stream of an execution stands. */
export type StreamState = 'live' | 'lost' | 'closed'

/**
 * The events of an execution as they come. What pages show of the release is read again after each; a lost connection is
 * taken up by the browser behind the last event that it has.
 */
export function useReleaseEvents(
  ids: { readonly oid: string; readonly pid: string; readonly rid: string },
  execution: string | null,
) {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly ReleaseEvent[]>([])
  const [state, setState] = useState<StreamState>('closed')
  const { oid, pid, rid } = ids
  useEffect(() => {
    setEvents([])
    setState('closed')
    if (execution === null) return
    const source = new EventSource(
      `${BASE}/api/v1/orgs/${oid}/projects/${pid}/releases/${rid}/executions/${execution}/events`,
    )
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (const path of [RELEASE, `${RELEASE}/execution`] as const)
          void client.invalidateQueries({ queryKey: keyOf(path) })
      }, JOIN_MS)
    }
    const take = ({ data }: MessageEvent<string>) => {
      const read = parseJson(data, { duplicateKeys: 'last' })
      if (read.kind === 'failed') return
      const event = read.value as unknown as ReleaseEvent
      setEvents((old) => (old.some(({ id }) => id === event.id) ? old : [...old, event]))
      readAgain()
      if (!LAST.has(event.type)) return
      source.close()
      setState('closed')
    }
    source.addEventListener('open', () => setState('live'))
    source.addEventListener('error', () => {
      setState(source.readyState === EventSource.CLOSED ? 'closed' : 'lost')
      readAgain()
    })
    for (const type of TYPES) source.addEventListener(type, take)
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [client, oid, pid, rid, execution])
  return { events, state }
}

/** The platform closes the stream behind these; the browser would take that for a lost connection. */
const LAST: ReadonlySet<ReleaseEvent['type']> = new Set([
  'execution_completed',
  'execution_failed',
  'execution_cancelled',
])

const TYPES: readonly ReleaseEvent['type'][] = [
  'execution_started',
  'execution_paused',
  'execution_resumed',
  'execution_cancelled',
  'execution_failed',
  'execution_completed',
  'preflight_passed',
  'environment_started',
  'environment_completed',
  'stage_started',
  'stage_verdict',
  'stage_passed',
  'server_state',
  'rollback_started',
  'rollback_completed',
  'rollback_failed',
]
