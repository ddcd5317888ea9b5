import type { ServerResponse } from 'node:http'

/**
 * The time limit of every request (specification 8), for the price of one map entry each: all limits are equal, so the
 * map's order is the order of expiry, and one timer looks at its front. The clock is read by the timer only, so a
 * request may live up to one tick longer than its limit.
 */
export class Deadlines {
  readonly #limitMs: number
  readonly #expire: (response: ServerResponse) => void
  readonly #pending = new Map<ServerResponse, number>()
  readonly #timer: NodeJS.Timeout
  #now = performance.now()

  constructor(limitMs: number, expire: (response: ServerResponse) => void) {
    this.#limitMs = limitMs
    this.#expire = expire
    this.#timer = setInterval(() => this.#sweep(), Math.min(250, limitMs / 4)).unref()
  }

  /** From now on the response has its whole time; also for a stream that made progress. */
  begin(response: ServerResponse): void {
    this.#pending.delete(response)
    this.#pending.set(response, this.#now)
  }

  /** The response is finished, or given up. */
  end(response: ServerResponse): void {
    this.#pending.delete(response)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sweep(): void {
    this.#now = performance.now()
    const oldest = this.#now - this.#limitMs
    for (const [response, since] of this.#pending) {
      if (since > oldest) return
      this.#pending.delete(response)
      if (!response.destroyed && !response.writableFinished) this.#expire(response)
    }
  }
}
