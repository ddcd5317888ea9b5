import { useSyncExternalStore } from 'react'

const STORED = 'studio.cells'

/** Whether cells are shown as words or as code. */
export type Notation = 'words' | 'code'

const listeners = new Set<() => void>()

const read = (): Notation => (localStorage.getItem(STORED) === 'code' ? 'code' : 'words')

export function chooseNotation(notation: Notation): void {
  localStorage.setItem(STORED, notation)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The notation that the reader chose in this browser. */
export const useNotation = (): Notation => useSyncExternalStore(subscribe, read)
