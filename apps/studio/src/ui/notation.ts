import { useSyncExternalStore } from 'react'

/** Whether conditions and cells are shown in words, if possible, or as code. */
export type Notation = 'words' | 'code'

const STORED = 'studio.notation'
const listeners = new Set<() => void>()

const chosen = (): Notation => (localStorage.getItem(STORED) === 'code' ? 'code' : 'words')

export function chooseNotation(notation: Notation): void {
  localStorage.setItem(STORED, notation)
  for (const listener of listeners) listener()
}

/** The selected notation, shared by all views. */
export function useNotation(): Notation {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)
}
