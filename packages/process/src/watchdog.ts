import { Worker } from 'node:worker_threads'

/** Looks in one limit: the fewer there are, the later the end comes after it. */
const POLLS_PER_LIMIT = 10
/** Milliseconds between two looks at most, so that a deadline is kept to the second. */
const MAX_POLL_INTERVAL_MS = 500
/** Milliseconds of silence that are always allowed: less would end processes on a machine that is merely busy. */
const MIN_LIMIT_MS = 2000

/** Where the event loop and the thread that watches it meet: places in a shared array of 32-bit numbers. */
const PLACES = {
  /** Counted up by the event loop. */
  beats: 0,
  /** Milliseconds of silence after which the process is ended. */
  limit: 1,
  /** Milliseconds that the process still has, whatever its event loop does; 0: no end is known. */
  remaining: 2,
} as const

/** The initial data of the thread. */
export interface WatchdogData {
  readonly state: Int32Array
  readonly places: typeof PLACES
  readonly lookMs: number
  /** Fields of its log line, as in every other line. */
  readonly base: Readonly<Record<string, string>>
}

/** Ends the process when its event loop is silent. */
export interface Watchdog {
  /** From now on this silence is too long, where it is shorter than the limit so far, but never less than 2 s. */
  allow(milliseconds: number): void
  /** The process ends within this time, whatever its event loop does. */
  endWithin(milliseconds: number): void
}

/**
 * Watch the event loop of this thread from another one, which ends the process with SIGKILL (exit code 137 in shells) when
 * the loop is silent for too long. Signals are handled by the loop, and no thread can learn of them while it is blocked, so
 * `allow` with the time for the shutdown is what keeps that time for a blocked process as well.
 *
 * Silence is counted in looks, not by the clock: a process that was stopped and continues, or a machine that slept, has
 * not been silent.
 *
 * @param limitMs milliseconds of silence that are too long; 0: nothing is watched
 * @param failed called when there can be no such thread, or no more
 */
export function startWatchdog(limitMs: number, base: WatchdogData['base'], failed: (error: unknown) => void): Watchdog {
  if (limitMs === 0) return { allow: () => {}, endWithin: () => {} }
  const state = new Int32Array(new SharedArrayBuffer(Object.keys(PLACES).length * Int32Array.BYTES_PER_ELEMENT))
  const allow = (milliseconds: number) => {
    const before = Atomics.load(state, PLACES.limit)
    const wanted = Math.max(MIN_LIMIT_MS, milliseconds)
    Atomics.store(state, PLACES.limit, before === 0 ? wanted : Math.min(before, wanted))
  }
  allow(limitMs)
  const lookMs = Math.min(MAX_POLL_INTERVAL_MS, Math.floor(Math.max(MIN_LIMIT_MS, limitMs) / POLLS_PER_LIMIT))
  const data: WatchdogData = { state, places: PLACES, lookMs, base }
  const thread = new Worker(new URL('watchdog-thread.js', import.meta.url), {
    workerData: data,
    // Of the options of the process none is for this thread.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  })
  thread.on('error', failed)
  thread.unref()
  setInterval(() => Atomics.add(state, PLACES.beats, 1), lookMs / 2).unref()
  return {
    allow,
    endWithin: (milliseconds) => void Atomics.store(state, PLACES.remaining, Math.max(1, Math.ceil(milliseconds))),
  }
}
