import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { keyOf } from './data.ts'
import { listen, type StreamState } from './event-stream.ts'
import type { components } from './schema.ts'

export type ReleaseEvent = components['schemas']['ReleaseEvent']
const RELEASE = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}'
/** Interval in which several events cause one fetch. */
const DEBOUNCE_MS = 150

/**
 * The events of an execution as they arrive. Each invalidates the displayed data of the release; the browser resumes a
 * lost connection after its last event. `hasEnded`: the execution adds no events, and the platform closes the stream.
 */
export function useReleaseEvents(
  ids: { readonly oid: string; readonly pid: string; readonly rid: string },
  execution: string | null,
  hasEnded: boolean,
) {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly ReleaseEvent[]>([])
  const [state, setState] = useState<StreamState>('closed')
  const { oid, pid, rid } = ids
  const isOver = useRef(hasEnded)
  isOver.current = hasEnded
  const stop = useRef<() => void>(undefined)
  useEffect(() => {
    setEvents([])
    setState('closed')
    if (execution === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (const path of [RELEASE, `${RELEASE}/execution`, `${RELEASE}/executions/{eid}/canaries`] as const)
          void client.invalidateQueries({ queryKey: keyOf(path) })
      }, DEBOUNCE_MS)
    }
    const end = listen(`/api/v1/orgs/${oid}/projects/${pid}/releases/${rid}/executions/${execution}/events`, {
      types: TYPES,
      tell(next) {
        // The platform closes the stream after the last event of an execution: nothing was lost.
        if (next === 'lost' && isOver.current) return stop.current?.()
        setState(next)
        if (next === 'lost') readAgain()
      },
      take(_type, data) {
        const event = data as unknown as ReleaseEvent
        setEvents((old) => (old.some(({ id }) => id === event.id) ? old : [...old, event]))
        readAgain()
        return LAST.has(event.type)
      },
    })
    stop.current = () => {
      end()
      setState('closed')
    }
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [client, oid, pid, rid, execution])
  // The stream was lost before the page knew that the execution had ended.
  useEffect(() => {
    if (hasEnded && state === 'lost') stop.current?.()
  }, [hasEnded, state])
  return { events, state }
}

/** The platform closes the stream after these; the browser would treat that as a lost connection. */
const LAST: ReadonlySet<ReleaseEvent['type']> = new Set([
  'execution_completed',
  'execution_failed',
  'execution_cancelled',
  'rollback_completed',
  'rollback_failed',
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
