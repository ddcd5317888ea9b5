/** Schedules scans: one at a time, soon after an event, but not during a series of events. */
export interface PollSchedule {
  /** Schedules a scan after an event. */
  soon(): void
  /** Scans as soon as no other scan is running. `isFull` is passed to the scan. */
  now(isFull: boolean): void
  /** Starts no more scans; resolves when none is running. */
  close(): Promise<void>
}

export interface PollTimes {
  /** Milliseconds without events before a scan, so that a multi-step save is scanned once. */
  readonly quietMs: number
  /** Longest delay of a scan while events keep arriving. */
  readonly longestMs: number
}

/** @param look does not reject */
export function createPollSchedule(times: PollTimes, look: (isFull: boolean) => Promise<void>): PollSchedule {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  /** Time of the first event since the last scan. */
  let since: number | undefined
  let looking = Promise.resolve()
  /** The pending scan: further requests are merged into it. */
  let next: { isFull: boolean } | undefined

  function now(isFull: boolean): void {
    clearTimeout(timer)
    since = undefined
    if (next !== undefined) {
      next.isFull ||= isFull
      return
    }
    const request = { isFull }
    next = request
    looking = looking.then(async () => {
      next = undefined
      if (!isClosed) await look(request.isFull)
    })
  }

  return {
    now,
    soon() {
      if (isClosed) return
      since ??= performance.now()
      const left = since + times.longestMs - performance.now()
      clearTimeout(timer)
      timer = setTimeout(() => now(false), Math.max(0, Math.min(times.quietMs, left)))
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      return looking
    },
  }
}
