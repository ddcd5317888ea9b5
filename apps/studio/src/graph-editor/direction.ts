import { useSyncExternalStore } from 'react'

/** Whether a flow runs down, with results next to it, or to the right and on in the next line, with results in its rows. */
export type Direction = 'down' | 'right'

const STORED = 'studio.flow-direction'
const listeners = new Set<() => void>()

function chosen(): Direction | undefined {
  const text = localStorage.getItem(STORED)
  return text === 'down' || text === 'right' ? text : undefined
}

export function chooseDirection(direction: Direction): void {
  localStorage.setItem(STORED, direction)
  for (const listener of listeners) listener()
}

/** Pixels below which a canvas has no room for results next to the steps. */
const NARROW = 520

/** The chosen direction; until one is chosen, the one that fits the width. */
export function useDirection(width: number): Direction {
  const found = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)
  return found ?? (width < NARROW ? 'right' : 'down')
}
