import type { Log } from '@engine/process'

/** Milliseconds after which a replica that does not follow is worth an alert: after a restart it takes some seconds. */
const STALE_AFTER_MS = 60_000

/** Replicas of stream and bucket that have not been current for a minute. While they are not, one dead server may cost the quorum. */
export class StaleReplicas {
  readonly #log: Pick<Log, 'warn' | 'info'>
  readonly #elapsed: () => number
  readonly #staleSince = new Map<string, number>()
  readonly #reported = new Set<string>()

  /** @param elapsed milliseconds that only grow */
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
