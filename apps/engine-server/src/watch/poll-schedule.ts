/** When to look: one look at a time, and soon after something happened, but not in the middle of it. */
export interface PollSchedule {
  /** Something happened. */
  soon(): void
  /** Look as soon as no other look is under way. `isFull` is handed on. */
  now(isFull: boolean): void
  /** No look begins any more; resolves when none is under way. */
  close(): Promise<void>
}

export interface PollTimes {
  /** Milliseconds in which nothing happens before a look, so that what is saved in several steps is looked at once. */
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
  /** The look that has not begun yet: what else is asked for meanwhile is part of it. */
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
