/** When to look: one look at a time, and soon after something happened, but not in the middle of it. */
export interface PollSchedule {
  /** Something happened. */
  soon(): void
  /** Look as soon as no other look is under way. `isFull` is handed on. */
  now(isFull: boolean): void
  /** Starts no more scans; resolves when none is running. */
  close(): Promise<void>
}

export interface PollTimes {
  /** Milliseconds without events before a scan, so that a multi-step save is scanned once. */
  readonly quietMs: number
  /** Milliseconds that a look is put off at most, when something happens all the time. */
  readonly longestMs: number
}

/** @param look does not reject */
export function createPollSchedule(times: PollTimes, look: (isFull: boolean) => Promise<void>): PollSchedule {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  /** When the first thing happened since the last look. */
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
