import { type Log, within } from '@engine/process'
import { performance } from 'node:perf_hooks'
import type { Backoff } from '../platform/backoff.ts'
import { DeduplicatedLog } from '../sync/deduplicated-log.ts'
import { VERSION } from '../version.ts'
import type { SignedCheckpoint } from '../receipts/recovery.ts'

/** Minimum interval between two requests. */
const MIN_INTERVAL_MS = 1000
/** Timeout for an answer of the witness. */
const RESPONSE_TIMEOUT_MS = 10_000

export interface WitnessHookParts {
  /** See `--receipts-hook`. */
  readonly url: string
  readonly backoff: Backoff
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Called when a request fails. */
  readonly failed: () => void
  /** Tests replace it. Rejects if the witness does not have the checkpoint. */
  readonly send?: ((head: SignedCheckpoint, signal: AbortSignal) => Promise<void>) | undefined
  readonly minIntervalMs?: number | undefined
}

/**
 * Sends the latest checkpoint of each chain to an external witness. Later checkpoints include earlier ones, so
 * checkpoints that are superseded while a request is in flight are skipped. No decision waits for the witness.
 */
export class WitnessHook {
  readonly #parts: WitnessHookParts
  readonly #quiet = new DeduplicatedLog(() => performance.now())
  readonly #closing = new AbortController()
  /** Checkpoints that the witness does not have, by instance. */
  readonly #pending = new Map<string, SignedCheckpoint>()
  #running: Promise<void> | undefined

  constructor(parts: WitnessHookParts) {
    this.#parts = parts
  }

  /** Called when a checkpoint is on disk. */
  written(head: SignedCheckpoint): void {
    this.#pending.set(head.instance, head)
    if (!this.#closing.signal.aborted) this.#running ??= this.#run()
  }

  /** Sends each pending checkpoint once more. */
  async close(milliseconds: number): Promise<void> {
    this.#closing.abort()
    const end = AbortSignal.timeout(Math.max(1, Math.floor(milliseconds)))
    await within(milliseconds, this.#running ?? Promise.resolve())
    for (const head of this.#pending.values()) await this.#try(head, end)
    const unsent = this.#pending.size
    if (unsent > 0) this.#parts.log.warn({ unsent }, 'the witness of receipts does not have the latest checkpoint')
  }

  async #run(): Promise<void> {
    const { backoff, minIntervalMs = MIN_INTERVAL_MS } = this.#parts
    while (this.#pending.size > 0 && !this.#closing.signal.aborted) {
      let isHeard = true
      for (const head of Array.from(this.#pending.values()))
        isHeard = (await this.#try(head, this.#closing.signal)) && isHeard
      if (isHeard) backoff.reset()
      await this.#pause(isHeard ? minIntervalMs : Math.max(minIntervalMs, backoff.next()))
    }
    this.#running = undefined
  }

  async #try(head: SignedCheckpoint, signal: AbortSignal): Promise<boolean> {
    const { log, failed, url, send = sendTo(url) } = this.#parts
    try {
      await send(head, AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]))
      if (this.#pending.get(head.instance) === head) this.#pending.delete(head.instance)
      this.#quiet.over('failed')
      return true
    } catch (error) {
      if (this.#closing.signal === signal && signal.aborted) return false
      failed()
      const times = this.#quiet.due('failed')
      const reason = error instanceof Error ? error.message : String(error)
      if (times !== undefined)
        log.warn({ reason, times }, 'the witness of receipts cannot be reached, and is tried again (--receipts-hook)')
      return false
    }
  }

  /** Ends early when the hook is closed. */
  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = () => resolve()
    signal.addEventListener('abort', ended, { once: true })
    await within(milliseconds, promise)
    signal.removeEventListener('abort', ended)
  }
}

/** Redirects are not followed. */
function sendTo(url: string): (head: SignedCheckpoint, signal: AbortSignal) => Promise<void> {
  return async (head, signal) => {
    const { request } = await import('undici')
    const { statusCode, body } = await request(url, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', 'user-agent': `engine-server/${VERSION}` },
      body: JSON.stringify(head),
    })
    await body.dump({ limit: 64 * 1024, signal })
    if (statusCode < 200 || statusCode > 299) throw new Error(`it answered ${statusCode}`)
  }
}
