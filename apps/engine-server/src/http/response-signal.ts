import type { AbortSignalLike } from '@engine/ruleset'
import type { ServerResponse } from 'node:http'

/** Aborts when a response is of no use any more: it was answered (too late), or its connection is gone. */
export class ResponseSignal implements AbortSignalLike {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get aborted(): boolean {
    return this.#response.writableEnded || this.#response.destroyed
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#response.once('close', listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#response.off('close', listener)
  }
}
