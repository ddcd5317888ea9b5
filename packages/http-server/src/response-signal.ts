import type { ServerResponse } from 'node:http'

/**
 * The part of an `AbortSignal` that work checks: aborts when the response is no longer needed, because it was already
 * answered (the time limit expired) or its connection was closed.
 */
export class ResponseSignal {
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
