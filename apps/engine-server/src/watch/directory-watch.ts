import { stat } from 'node:fs/promises'
import { causeText } from '../store/errors.ts'
import type { StoreLog } from '../store/store.ts'
import { createComparison } from './changes.ts'
import { createPollSchedule, type PollTimes } from './poll-schedule.ts'
import { type Listen, listenToDirectory, type NativeEvents } from './native-events.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export interface DirectoryWatchOptions {
  readonly directory: string
  /** The files that the store has already read. */
  readonly known: Snapshot
  /**
   * Called when the files of these rulesets have changed, or may have. Does not reject, and is not called again before
   * it resolves.
   *
   * @param isFull a periodic scan that no event triggered: failed files are retried
   */
  readonly changed: (names: ReadonlySet<string>, isFull: boolean) => Promise<void>
  readonly log: StoreLog
  readonly listen?: Listen
  readonly times?: WatchTimes
}

export interface WatchTimes extends PollTimes {
  /** Interval of scans without events. */
  readonly fullMs: number
  /** Interval of checks that the directory has not been replaced. */
  readonly identityMs: number
}

/** Specification 6.1 and 8: 200 ms of debounce; a scan every 30 s if there are no events. */
const DEFAULT_TIMES: WatchTimes = { quietMs: 200, longestMs: 500, fullMs: 30_000, identityMs: 500 }

/**
 * Watches the rule files of a directory until it is closed.
 *
 * Events only trigger scans. Scans rely neither on their content nor on their arrival: they also run every 30 s, and a
 * replaced directory, for which no event exists, is detected by its identity.
 */
export function watchDirectory({
  listen = listenToDirectory,
  times = DEFAULT_TIMES,
  ...options
}: DirectoryWatchOptions): {
  close(): Promise<void>
} {
  const { directory, log } = options
  const scan = createScan(options)
  const looks = createPollSchedule(times, look)
  let events: NativeEvents | undefined
  let hasFailed = false
  let identity: string | undefined
  /** The directory may have been deleted since the watch began, and restored unchanged. */
  let isSuspect = false
  let isClosed = false
  let checking: Promise<void> | undefined

  async function look(isFull: boolean): Promise<void> {
    const result = await scan.look(isFull)
    if (result === 'unreadable') isSuspect = true
    if (result === 'doubtful') looks.soon()
  }

  function startListening(): void {
    events = listen(directory, {
      event: looks.soon,
      moved: () => {
        isSuspect = true
        check()
      },
      failed: (cause) => {
        void stopListening()
        const reason = cause instanceof Error ? cause.message : String(cause)
        if (!hasFailed) log.warn({ directory, reason }, `no file events: the rule files are polled ${every(times)}`)
        hasFailed = true
      },
    })
  }

  async function stopListening(): Promise<void> {
    const former = events
    events = undefined
    await former?.close()
  }

  async function checkIdentity(): Promise<void> {
    // Names reported after this count for the next scan.
    const wasSuspect = isSuspect
    isSuspect = false
    const found = await identityOf(directory)
    if (options.known.size > 0) scan.wasFilled(found)
    if (isClosed || (found === identity && !wasSuspect)) return
    identity = found
    await stopListening()
    if (found !== undefined) startListening()
    looks.soon()
  }

  const check = () => void (checking ??= checkIdentity().finally(() => (checking = undefined)))
  check()
  const timers = [
    setInterval(check, times.identityMs).unref(),
    setInterval(() => {
      // The missing resources may be available again.
      if (events === undefined && identity !== undefined && checking === undefined) startListening()
      looks.now(true)
    }, times.fullMs).unref(),
  ]

  return {
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      await checking
      await stopListening()
      await looks.close()
    },
  }
}

/** `unreadable`: the directory became unreadable; `doubtful`: another scan is needed soon. */
type ScanResult = 'done' | 'unreadable' | 'doubtful'

interface Scan {
  /** Compares the files with those of the previous scan, and passes on the differences. */
  look(isFull: boolean): Promise<ScanResult>
  /** Called when the store has read files in this directory. */
  wasFilled(identity: string | undefined): void
}

function createScan({ directory, known, changed, log }: DirectoryWatchOptions): Scan {
  const compare = createComparison(known)
  let isUnreadable = false
  /** Identity of the directory that contained files last. */
  let filled: string | undefined
  let isReplacedByEmpty = false
  return { look, wasFilled: (identity) => void (filled ??= identity) }

  async function look(isFull: boolean): Promise<ScanResult> {
    const before = await identityOf(directory)
    let found: Snapshot
    try {
      found = await takeSnapshot(directory)
    } catch (cause) {
      if (isUnreadable) return 'done'
      isUnreadable = true
      log.error({ directory, reason: causeText(cause) }, 'the rules directory cannot be read')
      return 'unreadable'
    }
    isUnreadable = false
    const current = await identityOf(directory)
    // The directory was replaced during the scan: its result may mix both. The next scan sees only one.
    if (current !== before) return 'doubtful'
    if (isOtherAndEmpty(found, current)) return 'done'
    const { names, isDoubtful } = compare(found)
    if (names.size > 0 || isFull) await changed(names, isFull)
    return isDoubtful ? 'doubtful' : 'done'
  }

  /** An unmounted volume leaves an empty directory behind, which must not delete everything. */
  function isOtherAndEmpty(found: Snapshot, current: string | undefined): boolean {
    if (found.size > 0) filled = current
    const isOther = found.size === 0 && filled !== undefined && filled !== current
    if (isOther && !isReplacedByEmpty)
      log.error(
        { directory },
        'the rules directory was replaced by an empty one: the previous rulesets are still served',
      )
    isReplacedByEmpty = isOther
    return isOther
  }
}

const every = ({ fullMs }: WatchTimes) => `every ${fullMs / 1000} s`

/** Distinguishes a directory from a replacement, also through a link. Undefined: it does not exist. */
async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino, birthtimeNs } = await stat(directory, { bigint: true })
    // Inode numbers are reused immediately.
    return [dev, ino, birthtimeNs].join(' ')
  } catch {
    return undefined
  }
}
