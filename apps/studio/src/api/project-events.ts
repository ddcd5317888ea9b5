import { isObject, type Value } from '@engine/expression/core'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PathOf } from './client.ts'
import { keyOf } from './data.ts'
import { listen, type StreamState } from './event-stream.ts'

const ORGANIZATION = '/api/v1/orgs/{oid}'
const PROJECT = `${ORGANIZATION}/projects/{pid}` as const
/** Notifications and open reviews of the user, which change with releases. */
const USER_PATHS = [
  `${ORGANIZATION}/notifications`,
  `${ORGANIZATION}/notifications/count`,
  `${ORGANIZATION}/releases/pending-for-me`,
] as const
const RELEASES = [
  `${PROJECT}/releases`,
  `${PROJECT}/releases/{rid}`,
  `${PROJECT}/releases/{rid}/comments`,
  ...USER_PATHS,
] as const
const ENVIRONMENTS = [`${PROJECT}/environments`, PROJECT] as const

/**
 * Paths to fetch again after a change, by the kind of the changed object. The draft of an open editor is excluded,
 * because the editor merges it.
 */
const PATHS_BY_KIND: Readonly<Record<string, readonly PathOf<'get'>[]>> = {
  draft: [`${PROJECT}/rulesets`, `${PROJECT}/rulesets/{name}/saves`],
  fact: [`${PROJECT}/facts`],
  concept: [`${PROJECT}/concepts`],
  contract: [`${PROJECT}/contracts`],
  suite: [`${PROJECT}/rulesets/{name}/tests`],
  release: [...RELEASES, `${PROJECT}/rulesets`],
  execution: [...RELEASES, `${PROJECT}/rulesets`],
  environment: ENVIRONMENTS,
  binding: ENVIRONMENTS,
  project: [PROJECT, `${ORGANIZATION}/projects`],
}

/** Milliseconds in which several events cause one fetch. */
const DEBOUNCE_MS = 150
/** Delay before a hidden page closes its connection: browsers allow few connections per server. */
const HIDDEN_DELAY_MS = 60_000

/** Keep the displayed data of a project up to date; returns the state of its change stream. */
export function useProjectEvents(oid: string, pid: string): StreamState {
  const client = useQueryClient()
  const isSeen = useSeen()
  const [state, setState] = useState<StreamState>('closed')
  useEffect(() => {
    setState('closed')
    if (pid === '' || !isSeen) return
    const stale = staleness(client)
    const end = listen(`/api/v1/orgs/${oid}/projects/${pid}/events`, {
      types: ['changed', 'reset'],
      tell(next) {
        setState(next)
        // Everything is fetched again after a gap: a stream without any event so far cannot resume.
        if (next === 'live') stale.add(Object.keys(PATHS_BY_KIND))
      },
      take(type, data) {
        stale.add(type === 'reset' ? Object.keys(PATHS_BY_KIND) : kindOf(data))
        return false
      },
    })
    return () => {
      stale.end()
      end()
    }
  }, [client, oid, pid, isSeen])
  return state
}

const kindOf = (data: Value): readonly string[] =>
  isObject(data) && typeof data['kind'] === 'string' ? [data['kind']] : []

/** Collects changed kinds and invalidates their data, once for several events. */
function staleness(client: QueryClient) {
  const paths = new Set<PathOf<'get'>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(kinds: readonly string[]) {
      for (const kind of kinds) for (const path of PATHS_BY_KIND[kind] ?? []) paths.add(path)
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (const path of paths) void client.invalidateQueries({ queryKey: keyOf(path) })
        paths.clear()
      }, DEBOUNCE_MS)
    },
    end: () => clearTimeout(timer),
  }
}

/** Whether the page is visible or was hidden only recently. */
function useSeen(): boolean {
  const [isSeen, setSeen] = useState(true)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => setSeen(false), HIDDEN_DELAY_MS)
      else setSeen(true)
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isSeen
}
