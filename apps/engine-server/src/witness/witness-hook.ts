import { type Log, within } from '@engine/process'
import { performance } from 'node:perf_hooks'
import type { Backoff } from '../platform/backoff.ts'
import { DeduplicatedLog } from '../sync/deduplicated-log.ts'
import { VERSION } from '../version.ts'
import type { SignedCheckpoint } from '../receipts/recovery.ts'

/** Milliseconds between two requests, at least. */
const MIN_INTERVAL_MS = 1000
/** Milliseconds for a witness to answer. */
const ANSWER_MS = 10_000

export interface WitnessHookParts {
  /** See `--receipts-hook`. */
  readonly url: string
  readonly backoff: Backoff
  readonly log: Pick<Log, 'warn' | 'info'>
  /** A request failed. */
  readonly failed: () => void
  /** Tests send elsewhere. Rejects where the witness does not have the checkpoint. */
  readonly send?: ((head: SignedCheckpoint, signal: AbortSignal) => Promise<void>) | undefined
  readonly minIntervalMs?: number | undefined
}

/**
 * Sends the latest checkpoint of each chain to a witness outside. Later checkpoints include earlier ones, so those that were
 * written while a request was on its way are left out. No decision waits for it.
 */
export class WitnessHook {
  readonly #parts: WitnessHookParts
  readonly #quiet = new DeduplicatedLog(() => performance.now())
  readonly #closing = new AbortController()
  /** By instance: those that the witness does not have. */
  readonly #pending = new Map<string, SignedCheckpoint>()
  #running: Promise<void> | undefined

  constructor(parts: WitnessHookParts) {
    this.#parts = parts
  }

  /** A checkpoint is on disk. */
  written(head: SignedCheckpoint): void {
    this.#pending.set(head.instance, head)
    if (!this.#closing.signal.aborted) this.#running ??= this.#run()
  }

  /** Tries each pending checkpoint once more. */
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
      await send(head, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))
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
