import { useEffect, useRef } from 'react'
import { isLetterKey } from '../frame/letter-keys.ts'

/**
 * Shortcuts on a release: A approves, R rejects, J and K move through its changes. Each action still requires
 * a confirmation.
 */
export function useReleaseKeys(acts: { readonly approve?: () => void; readonly reject?: () => void }): void {
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isLetterKey(event)) return
      const { approve, reject } = latest.current
      const keys = { a: approve, r: reject, j: () => goToChange(1), k: () => goToChange(-1) }
      const act = keys[event.key.toLowerCase() as 'a']
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** The CSS class of changes that J and K stop at. */
export const CHANGE = 'change'

function goToChange(way: 1 | -1): void {
  const changes = Array.from(document.querySelectorAll<HTMLElement>(`.${CHANGE}`))
  const at = changes.findIndex((one) => one === document.activeElement)
  const next = changes[at < 0 ? (way > 0 ? 0 : changes.length - 1) : at + way]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
