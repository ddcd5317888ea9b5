import type { Wakes } from '../database/notifications.ts'

/**
 * Work that the replicas share by leases: a table holds the due work, and one replica at a time claims each row of it.
 */
export interface LeasedWork<Claimed> {
  /**
   * Claims rows that are due, under a new fence and a lease: they belong to this replica until the lease ends, and
   * results of an earlier claim are then refused. An empty list ends the round.
   */
  readonly claim: () => Promise<readonly Claimed[]>
  /** Performs the work of one row, and stores the result under the fence. Rejects when the database fails. */
  readonly perform: (claimed: Claimed, stopping: AbortSignal) => Promise<void>
  /** Extends the lease of a row whose work may take longer, three times per lease. */
  readonly renewal?: { readonly leaseMs: number; readonly renew: (claimed: Claimed) => Promise<void> }
  /** Topic that is woken when a row becomes due; undefined if there is none. */
  readonly topic?: string
  /** Returns the delay before the next poll, in milliseconds. */
  readonly pauseMs: () => number | Promise<number>
  /** Delay after a failed round, in milliseconds. */
  readonly retryDelayMs: number
  /** Called at the end of a round, with the error of the database if it failed. */
  readonly ended: (error: unknown) => void
}

/** The leased work of this replica. */
export interface LeasedWorker {
  /** Resolves when no work is running. Another replica, or the next start, does the rest. */
  stop(): Promise<void>
}

/**
 * Starts claiming and performing work. The first poll is immediate; one round runs at a time, and a wake-up during it
 * adds another.
 */
export function startLeasedWork<Claimed>(work: LeasedWork<Claimed>, wakes: Pick<Wakes, 'on'>): LeasedWorker {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let isWoken = false

  async function performAll(): Promise<void> {
    do {
      isWoken = false
      while (!signal.aborted) {
        const claimed = await work.claim()
        if (claimed.length === 0) break
        await Promise.all(claimed.map((one) => performOne(one)))
      }
    } while (isWoken && !signal.aborted)
  }

  async function performOne(claimed: Claimed): Promise<void> {
    const { renewal } = work
    const renewing = renewal && setInterval(() => void renewal.renew(claimed), renewal.leaseMs / 3)
    try {
      await work.perform(claimed, signal)
    } finally {
      clearInterval(renewing)
    }
  }

  function begin(): void {
    isWoken = true
    if (round !== undefined || signal.aborted) return
    clearTimeout(timer)
    round = poll().then((pauseMs) => {
      round = undefined
      if (!signal.aborted) timer = setTimeout(begin, pauseMs)
    })
  }

  /** Returns the delay before the next poll, in milliseconds. */
  async function poll(): Promise<number> {
    try {
      await performAll()
      const pauseMs = await work.pauseMs()
      work.ended(undefined)
      return pauseMs
    } catch (error) {
      work.ended(error)
      return work.retryDelayMs
    }
  }

  const leave = work.topic === undefined ? undefined : wakes.on(work.topic, begin)
  begin()
  return {
    async stop() {
      stopping.abort()
      leave?.()
      clearTimeout(timer)
      await round
    },
  }
}
