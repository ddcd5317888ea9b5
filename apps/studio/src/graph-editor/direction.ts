import { useSyncExternalStore } from 'react'

/** The direction of a flow: down, with results next to it, or right with line wrapping, with results in its rows. */
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

/** Width in pixels below which a canvas has no room for results next to the steps. */
const NARROW = 520

/** The selected direction; by default the one that fits the width. */
export function useDirection(width: number): Direction {
  const found = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)
  return found ?? (width < NARROW ? 'right' : 'down')
}
