import type { Log } from '@engine/process'

/** Milliseconds of lag before a replica is reported: after a restart it needs some seconds to catch up. */
const STALE_AFTER_MS = 60_000

/** Reports replicas of stream and bucket that have lagged for a minute: until they catch up, one failed server may cost the quorum. */
export class StaleReplicas {
  readonly #log: Pick<Log, 'warn' | 'info'>
  readonly #elapsed: () => number
  readonly #staleSince = new Map<string, number>()
  readonly #reported = new Set<string>()

  /** @param elapsed monotonic clock, milliseconds */
  constructor(log: Pick<Log, 'warn' | 'info'>, elapsed: () => number) {
    this.#log = log
    this.#elapsed = elapsed
  }

  get count(): number {
    return this.#reported.size
  }

  /** Apply the broker's current report. */
  update(stale: readonly string[]): void {
    for (const replica of this.#staleSince.keys()) {
      if (stale.includes(replica)) continue
      this.#staleSince.delete(replica)
      if (this.#reported.delete(replica)) this.#log.info({ replica }, 'a replica of the broker is up to date again')
    }
    const now = this.#elapsed()
    for (const replica of stale) {
      const since = this.#staleSince.getOrInsertComputed(replica, () => now)
      if (now - since < STALE_AFTER_MS || this.#reported.has(replica)) continue
      this.#reported.add(replica)
      this.#log.warn({ replica }, 'a replica of the broker has lagged for a minute')
    }
  }
}
