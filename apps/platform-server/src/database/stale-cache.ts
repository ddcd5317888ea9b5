import { isUnavailable } from './availability.ts'
import type { Wakes } from './notifications.ts'

/** The caching options of one kind of read. */
export interface StaleCacheOptions<Key, Found> {
  /** Undefined if not found, which is never cached. */
  readonly read: (asked: Key) => Promise<Found | undefined>
  readonly keyOf: (asked: Key) => string
  /** A result may be stale if this topic wakes during the read. */
  readonly topicOfRead: (asked: Key) => string
  /** A result is stale when one of these topics wakes. */
  readonly topicsOf: (found: Found) => readonly string[]
  /** True if a result known to be stale is served when the database does not answer. */
  readonly servesChanged: boolean
  /** Called for each result that is served although the database has not confirmed it in time. */
  readonly servedStale: () => void
  /** Approximate size of a result. */
  readonly bytesOf: (found: Found) => number
  readonly wakes: Pick<Wakes, 'on'>
  /** How long a result is served without reading again, in milliseconds. */
  readonly freshMs: number
  /** How long a result is served while the database does not answer, in milliseconds. */
  readonly keptMs: number
  readonly maxEntries: number
  readonly maxBytes: number
  /** The monotonic clock, in milliseconds. */
  readonly now: () => number
}

/** Reads whose last result is served while the database is unavailable or slow. */
export interface StaleCache<Key, Found> {
  /**
   * The present result, or the last known one when the database does not answer. Rejects as the read does when there is
   * none: it was never read, is too old, or is known to be out of date (without `servesChanged`).
   */
  read(asked: Key): Promise<Found | undefined>
  /** Monotonic milliseconds; the last time that the database answered a read. */
  readonly lastReadAt: number
  close(): void
}

/** Milliseconds that a request waits for a refresh before it gets the last known result. */
const REFRESH_WAIT_MS = 250
/** The same where the result is known to be out of date. */
const CHANGED_WAIT_MS = 2000
/** Milliseconds between two refreshes that fail. */
const RETRY_REFRESH_MS = 1000

/** `changed`: a result is known to be out of date. `unknown`: a wake may have been lost. */
type State = 'current' | 'unknown' | 'changed'

const afterWake = (state: State, isCertain: boolean): State =>
  isCertain || state === 'changed' ? 'changed' : 'unknown'

interface Entry<Found> {
  readonly found: Found
  readonly readAt: number
  readonly bytes: number
  readonly forget: () => void
  state: State
  /** The last refresh failed or is late: nothing waits for the next one. */
  isSlow: boolean
  retryAt: number
}

/** A read that is under way. */
interface Reading<Found> {
  readonly found: Promise<Found | undefined>
  state: State
}

interface Entries<Found> {
  /** The entry of a key, which becomes the most recently used one. */
  use(key: string): Entry<Found> | undefined
  get(key: string): Entry<Found> | undefined
  /** Keeps a result, unless it alone exceeds the limit. */
  store(key: string, found: Found, readAt: number, state: State): void
  remove(key: string): void
  clear(): void
}

/** The most recently used results, within the limits of the cache; a wake marks those that it makes out of date. */
function createEntries<Key, Found>(options: StaleCacheOptions<Key, Found>): Entries<Found> {
  const { maxEntries, maxBytes, wakes } = options
  const entries = new Map<string, Entry<Found>>()
  let bytes = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= entry.bytes
    entry.forget()
  }

  function store(key: string, found: Found, readAt: number, state: State): void {
    remove(key)
    const size = options.bytesOf(found)
    if (size > maxBytes) return
    const stops = options.topicsOf(found).map((topic) =>
      wakes.on(topic, (isCertain) => {
        entry.state = afterWake(entry.state, isCertain)
      }),
    )
    const entry: Entry<Found> = {
      found,
      readAt,
      bytes: size,
      forget: () => stops.forEach((stop) => stop()),
      state,
      isSlow: false,
      retryAt: 0,
    }
    entries.set(key, entry)
    bytes += size
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && bytes <= maxBytes) return
      remove(oldest)
    }
  }

  return {
    use(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    get: (key) => entries.get(key),
    store,
    remove,
    clear() {
      for (const key of entries.keys()) remove(key)
    },
  }
}

/**
 * Remember the results of reads, the most recently used ones. A lookup costs no query while its result is fresh; after that
 * one refresh serves all requests, and a request waits for it only briefly.
 */
export function createStaleCache<Key, Found>(options: StaleCacheOptions<Key, Found>): StaleCache<Key, Found> {
  const { keyOf, freshMs, keptMs, now, wakes } = options
  const entries = createEntries(options)
  const readings = new Map<string, Reading<Found>>()
  let lastReadAt = now()

  /** A read that began before a change is not joined by requests after it, and its result is not kept. */
  function begin(key: string, asked: Key): Promise<Found | undefined> {
    const running = readings.get(key)
    if (running !== undefined && running.state !== 'changed') return running.found
    const begun = now()
    const result = Promise.withResolvers<Found | undefined>()
    const reading: Reading<Found> = { found: result.promise, state: 'current' }
    readings.set(key, reading)
    const stop = wakes.on(options.topicOfRead(asked), (isCertain) => {
      reading.state = afterWake(reading.state, isCertain)
    })
    const ended = () => {
      stop()
      const isLast = readings.get(key) === reading
      if (isLast) readings.delete(key)
      return isLast
    }
    options.read(asked).then(
      (found) => {
        lastReadAt = begun
        if (ended()) {
          if (found === undefined) entries.remove(key)
          else entries.store(key, found, begun, reading.state)
        }
        result.resolve(found)
      },
      (error: unknown) => {
        const entry = entries.get(key)
        if (ended() && entry !== undefined) {
          entry.isSlow = true
          entry.retryAt = now() + RETRY_REFRESH_MS
        }
        result.reject(error)
      },
    )
    return result.promise
  }

  return {
    get lastReadAt() {
      return lastReadAt
    },
    async read(asked) {
      const key = keyOf(asked)
      const entry = entries.use(key)
      if (entry === undefined) return begin(key, asked)
      const { state } = entry
      const age = now() - entry.readAt
      if (state === 'current' && age < freshMs) return entry.found
      const isServed = age < keptMs && (state !== 'changed' || options.servesChanged)
      if (!isServed) return begin(key, asked)
      const stale = () => {
        options.servedStale()
        return entry.found
      }
      if (entry.retryAt > now()) return stale()
      const refreshing = begin(key, asked)
      if (!entry.isSlow) {
        const waitMs = state === 'changed' ? CHANGED_WAIT_MS : REFRESH_WAIT_MS
        return firstOf(refreshing, waitMs, () => {
          entry.isSlow = true
          return stale()
        })
      }
      // Logged nowhere: each of its failures shows in the readiness.
      refreshing.catch(() => {})
      return stale()
    },
    close: entries.clear,
  }
}

/** The refreshed result if it comes soon, else the last known one. Rejects where the read fails for another reason. */
function firstOf<Found>(
  refreshing: Promise<Found | undefined>,
  waitMs: number,
  stale: () => Found,
): Promise<Found | undefined> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      resolve(stale())
    }, waitMs)
    refreshing
      .then(resolve, (error: unknown) => {
        if (isLate) return
        if (isUnavailable(error)) resolve(stale())
        else reject(error)
      })
      .finally(() => clearTimeout(timer))
  })
}
