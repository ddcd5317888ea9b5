import { parseJson } from '@engine/expression'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { BASE, call } from '../../api/client.ts'
import type { components } from '../../api/schema.ts'
import { useIds, useMe } from '../../frame/route-scope.ts'

const PRESENCE = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/presence'
/** Presence expires after 45 s; it is renewed after a third of that. */
const RENEWAL_INTERVAL_MS = 15_000
/** Time that a step must stay selected before it is reported, since keyboard navigation passes many steps. */
const SETTLE_DELAY_MS = 400

type Present = components['schemas']['Presence']['present'][number]
type Presence = Pick<components['schemas']['Presence'], 'present'>

/** A save of another author that this draft does not include yet. */
export interface OtherSave {
  readonly seq: number
  readonly updated_by: string
}

/**
 * Other users of the open ruleset, and the last reported save. Reports the position of this user while the network is
 * available.
 */
export function usePresence(
  name: string,
  /** A step, `sub-rule/step` within a sub-rule; undefined for none. */
  step: string | undefined,
): { readonly others: readonly Present[]; readonly lastSave: OtherSave | undefined } {
  const { oid, pid } = useIds()
  const me = useMe().data?.user?.id
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  const [present, setPresent] = useState<readonly Present[]>([])
  const [lastSave, setLastSave] = useState<OtherSave>()
  useEffect(() => {
    if (!isOnline) return
    const path = `/api/v1/orgs/${oid}/projects/${pid}/rulesets/${encodeURIComponent(name)}/events`
    const source = new EventSource(BASE + path)
    source.addEventListener('presence', ({ data }: MessageEvent<string>) => {
      const read = parseJson(data, { duplicateKeys: 'last' })
      if (read.kind === 'parsed') setPresent((read.value as unknown as Presence).present)
    })
    source.addEventListener('draft_saved', ({ data }: MessageEvent<string>) => {
      const read = parseJson(data, { duplicateKeys: 'last' })
      if (read.kind === 'parsed') setLastSave(read.value as unknown as OtherSave)
    })
    return () => source.close()
  }, [oid, pid, name, isOnline])
  useEffect(() => {
    if (!isOnline) return
    // A failed renewal needs no message: it expires, and others see that this user is gone.
    const tell = () =>
      void call('put', PRESENCE, { path: { oid, pid, name }, body: { step_id: step ?? null } }).catch(() => undefined)
    const first = setTimeout(tell, SETTLE_DELAY_MS)
    const timer = setInterval(tell, RENEWAL_INTERVAL_MS)
    return () => {
      clearTimeout(first)
      clearInterval(timer)
    }
  }, [oid, pid, name, step, isOnline])
  const others = useMemo(() => present.filter(({ id }) => id !== me), [present, me])
  return { others, lastSave }
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** The reported position for a step. */
export const placeOf = (within: string | undefined, step: string | undefined): string | undefined =>
  step === undefined || within === undefined ? step : `${within}/${step}`

/** Names of other users by step of the open graph; users within a sub-rule are shown at the step that uses it. */
export function presentAt(
  others: readonly Present[],
  within: string | undefined,
  steps: readonly { readonly id: string; readonly refName?: string }[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { name, step_id: place } of others) {
    const step = steps.find(
      ({ id, refName }) =>
        placeOf(within, id) === place || (refName !== undefined && place?.startsWith(`${refName}/`) === true),
    )
    if (step !== undefined) found.set(step.id, [found.get(step.id), name].filter((one) => one !== undefined).join(', '))
  }
  return found
}
