import { Worker } from 'node:worker_threads'

/** Number of checks per limit: fewer checks delay the detection. */
const POLLS_PER_LIMIT = 10
/** Longest interval between two checks, so that a deadline is kept to the second. */
const MAX_POLL_INTERVAL_MS = 500
/** Minimum limit of silence: a lower one would kill processes on a merely busy machine. */
const MIN_LIMIT_MS = 2000

/** Slots of a shared array of 32-bit numbers, by which the event loop and the watchdog thread communicate. */
const PLACES = {
  /** Incremented by the event loop. */
  beats: 0,
  /** Milliseconds of silence after which the process is ended. */
  limit: 1,
  /** Milliseconds until the process is killed regardless of its event loop; 0: unlimited. */
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

/** Kills the process when its event loop is blocked. */
export interface Watchdog {
  /** Lowers the limit of silence, but never below 2 s. */
  allow(milliseconds: number): void
  /** Kills the process after this time, regardless of its event loop. */
  endWithin(milliseconds: number): void
}

/**
 * Watches the event loop of this thread from another one, which kills the process with SIGKILL (exit code 137 in
 * shells) when the loop is blocked for too long. Signals are handled by the loop, and no other thread receives them
 * while it is blocked, so calling `allow` with the shutdown timeout enforces that timeout for a blocked process as
 * well.
 *
 * Silence is counted in checks, not by the clock: a stopped and continued process, or a machine that slept, was not
 * silent.
 *
 * @param limitMs maximum milliseconds of silence; 0: no watchdog
 * @param failed called when the thread cannot be started, or fails
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
    // None of the process options applies to this thread.
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
