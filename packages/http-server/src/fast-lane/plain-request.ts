import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { PlainHead } from './plain-head.ts'

/**
 * A complete request, with the members of `IncomingMessage` and `ServerResponse` that are needed to answer it. It is
 * also the signal of its execution, which aborts when the answer is no longer needed.
 */
export class PlainRequest {
  readonly method = 'POST'
  url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readonly body: Buffer
  /** Headers of its answer that are set in advance. */
  early: Record<string, string> | undefined
  aborted = false
  /** Start time, by `performance.now()`. */
  readonly begun = performance.now()
  #listeners: Set<() => void> | undefined

  constructor({ url, headers }: PlainHead<unknown>, socket: Socket, body: Buffer) {
    this.url = url
    this.headers = headers
    this.socket = socket
    this.body = body
  }

  setHeader(name: string, value: string | number): void {
    this.early = { ...this.early, [name]: String(value) }
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  abort(): void {
    this.aborted = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = undefined
  }
}
