import type { Converted } from '@engine/rule-file'
import { startThread } from '@engine/process'
import type { Worker } from 'node:worker_threads'

/** Limits for the conversion of one YAML text. */
export interface YamlLimits {
  readonly milliseconds: number
  readonly megabytes: number
}

/** The part of an `AbortSignal` that a conversion observes. */
export interface YamlSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** How long an idle thread is kept: starting one takes longer than most texts. */
const IDLE_TIMEOUT_MS = 2000

/**
 * Converts YAML into JSON on a separate thread, because the library cannot pause. The thread is started on demand and
 * ended when it is idle or when a text exceeds its limits.
 *
 * INVARIANT: one text at a time.
 */
export class YamlReader {
  readonly #limits: YamlLimits
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(limits: YamlLimits) {
    this.#limits = limits
  }

  /** @param signal cancels the conversion: its result is no longer needed */
  convert(bytes: Uint8Array, signal?: YamlSignal): Promise<Converted> {
    const { milliseconds, megabytes } = this.#limits
    if (signal?.aborted === true) return Promise.resolve(GIVEN_UP)
    clearTimeout(this.#idle)
    const thread = (this.#thread ??= this.#started())
    thread.ref()
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const over = (result: Converted) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        thread.off('message', answered).off('error', failed)
        resolve(result)
      }
      const fail = (reason: string) => {
        this.end()
        over({ reason: `its YAML could not be read${reason}` })
      }
      const giveUp = () => {
        this.end()
        over(GIVEN_UP)
      }
      signal?.addEventListener('abort', giveUp)
      const answered = (converted: Converted | typeof READING) => {
        if (converted === READING) {
          // The startup of the thread does not count towards the time limit of the text.
          timer = setTimeout(() => fail(` within ${milliseconds / 1000} s`), milliseconds)
          return
        }
        thread.unref()
        this.#idle = setTimeout(() => this.end(), IDLE_TIMEOUT_MS).unref()
        over(converted)
      }
      const failed = (error: NodeJS.ErrnoException) => {
        const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        fail(`: ${isTooLarge ? `more than ${megabytes} MB of memory are needed` : error.message}`)
      }
      thread.on('message', answered).on('error', failed)
      thread.postMessage(bytes)
    })
  }

  /** Ends the thread; the next text starts another one. */
  end(): void {
    clearTimeout(this.#idle)
    void this.#thread?.terminate()
    this.#thread = undefined
  }

  #started(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: this.#limits.megabytes }
    const thread = startThread(new URL('yaml-thread.ts', import.meta.url), { resourceLimits })
    // Errors of a terminating thread are ignored.
    return thread.on('error', () => {})
  }
}

/** Message of the thread: parsing of a text starts. */
export const READING = 'reading'

const GIVEN_UP: Converted = { reason: 'its YAML was not read: the request is over' }
