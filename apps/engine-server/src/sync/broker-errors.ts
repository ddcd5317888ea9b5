import type { Log } from '@engine/process'
import { StoreRefusal } from './broker.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'

/** Consecutive attempts rejected by the broker's storage before its stream is recreated. */
const MAX_REFUSALS = 10
/** Milliseconds between two times that it is made again. */
const REMAKE_PAUSE_MS = 60_000

/** A change that the writer cannot publish. */
export interface Refused {
  /** Attempts that failed, one after the other. */
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
  #remadeAt = -Infinity

  /** @param elapsed milliseconds that only grow */
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

  /** An attempt failed, on a connection. Resolves to the object that must be recreated, as a last resort. */
  failed(error: unknown): StoreRefusal['what'] | undefined {
    const reason = printable(String(error))
    this.#failing ??= { since: this.#elapsed(), times: 0, reason }
    this.#failing.times++
    if (reason !== this.#failing.reason) this.#quiet.over('failed')
    this.#failing.reason = reason
    const times = this.#quiet.due('failed')
    if (times !== undefined) this.#log.warn({ reason, times }, 'the broker did not accept an event; retrying')
    return this.#remakes(error)
  }

  #remakes(error: unknown): StoreRefusal['what'] | undefined {
    if (!(error instanceof StoreRefusal)) {
      this.#unstorable = undefined
      return undefined
    }
    const { what } = error
    const times = this.#unstorable?.what === what ? this.#unstorable.times + 1 : 1
    this.#unstorable = { what, times }
    const now = this.#elapsed()
    if (times < MAX_REFUSALS || now - this.#remadeAt < REMAKE_PAUSE_MS) return undefined
    this.#remadeAt = now
    this.#unstorable = undefined
    return what
  }

  /** An attempt went well. */
  over(): void {
    if (this.#failing === undefined) return
    this.#failing = undefined
    this.#unstorable = undefined
    this.#quiet.over('failed')
  }
}

/** The same words for the same reason: names that the client draws are omitted. */
export function printable(reason: string): string {
  return reason.replaceAll(/[A-Za-z0-9]{20,}/g, '*')
}
