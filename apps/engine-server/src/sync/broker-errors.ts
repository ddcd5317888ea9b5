import type { Log } from '@engine/process'
import { StoreRefusal } from './broker.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'

/** Consecutive attempts rejected by the broker's storage before its stream is recreated. */
const MAX_REFUSALS = 10
/** Minimum milliseconds between two recreations. */
const MIN_RECREATE_INTERVAL_MS = 60_000

/** A change that the writer cannot publish. */
export interface Refused {
  /** Consecutive failed attempts. */
  readonly times: number
  readonly seconds: number
  /** Reason of the last failure. */
  readonly reason: string
}

/** Tracks failed attempts to publish: counts them, and logs with decreasing frequency. */
export class BrokerErrors {
  readonly #log: Pick<Log, 'warn'>
  readonly #elapsed: () => number
  readonly #quiet: DeduplicatedLog
  #failing: { readonly since: number; times: number; reason: string } | undefined
  #unstorable: { readonly what: StoreRefusal['what']; times: number } | undefined
  #recreatedAt = -Infinity

  /** @param elapsed monotonic clock, milliseconds */
  constructor(log: Pick<Log, 'warn'>, elapsed: () => number) {
    this.#log = log
    this.#elapsed = elapsed
    this.#quiet = new DeduplicatedLog(elapsed)
  }

  get current(): Refused | undefined {
    if (this.#failing === undefined) return undefined
    const { since, times, reason } = this.#failing
    return { times, seconds: Math.floor((this.#elapsed() - since) / 1000), reason }
  }

  /** Records an attempt that failed while connected. Returns the object to recreate, as a last resort. */
  failed(error: unknown): StoreRefusal['what'] | undefined {
    const reason = printable(String(error))
    this.#failing ??= { since: this.#elapsed(), times: 0, reason }
    this.#failing.times++
    if (reason !== this.#failing.reason) this.#quiet.over('failed')
    this.#failing.reason = reason
    const times = this.#quiet.due('failed')
    if (times !== undefined) this.#log.warn({ reason, times }, 'the broker did not accept an event; retrying')
    return this.#toRecreate(error)
  }

  #toRecreate(error: unknown): StoreRefusal['what'] | undefined {
    if (!(error instanceof StoreRefusal)) {
      this.#unstorable = undefined
      return undefined
    }
    const { what } = error
    const times = this.#unstorable?.what === what ? this.#unstorable.times + 1 : 1
    this.#unstorable = { what, times }
    const now = this.#elapsed()
    if (times < MAX_REFUSALS || now - this.#recreatedAt < MIN_RECREATE_INTERVAL_MS) return undefined
    this.#recreatedAt = now
    this.#unstorable = undefined
    return what
  }

  /** Records a success. */
  over(): void {
    if (this.#failing === undefined) return
    this.#failing = undefined
    this.#unstorable = undefined
    this.#quiet.over('failed')
  }
}

/** The same text for the same reason: random names of the client are masked. */
export function printable(reason: string): string {
  return reason.replaceAll(/[A-Za-z0-9]{20,}/g, '*')
}
