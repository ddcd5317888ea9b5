import { vi } from 'vitest'

const immediate = setImmediate

/** Everything that waits for nothing but promises is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => immediate(resolve))
}

/** Timers and clocks are simulated until `vi.useRealTimers`. */
export function useVirtualTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    now: Date.UTC(2026, 10, 20),
  })
}

/**
 * Let time pass, one timer after the other, with everything done that a timer sets off before the next one. Many times faster than
 * `vi.advanceTimersByTimeAsync`, which waits for a real timer between two.
 */
export async function pass(milliseconds: number): Promise<void> {
  const end = { isReached: false }
  setTimeout(() => (end.isReached = true), milliseconds)
  await settled()
  while (!end.isReached) {
    vi.advanceTimersToNextTimer()
    await settled()
  }
}

/** Let time pass until it is so; false when it is not after that time. */
export async function passUntil(holds: () => boolean, milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds
  await settled()
  while (!holds()) {
    if (Date.now() >= end) return false
    await pass(Math.min(50, end - Date.now()))
  }
  return true
}
