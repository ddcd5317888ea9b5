import type { ServerResponse } from 'node:http'

/** The time limit of one request. */
export interface Deadline {
  /** Restarts the time limit when a stream makes progress. */
  renew(): void
  /** Called when the response is complete or abandoned. */
  end(): void
}

/**
 * The time limit of every request (specification 8), at the cost of a list node: all limits are equal, so the list is
 * in order of expiry, and one timer checks its front. Only the timer reads the clock, so a request may exceed its limit
 * by up to one tick. A map would cost a quarter of a whole request: it computes a hash for every response.
 */
export class Deadlines {
  readonly #limitMs: number
  readonly #expire: (response: ServerResponse) => void
  readonly #list: List = { now: performance.now(), first: undefined, last: undefined }
  readonly #timer: NodeJS.Timeout

  constructor(limitMs: number, expire: (response: ServerResponse) => void) {
    this.#limitMs = limitMs
    this.#expire = expire
    this.#timer = setInterval(() => this.#sweep(), Math.min(250, limitMs / 4)).unref()
  }

  /** Starts the time limit of a response. */
  begin(response: ServerResponse): Deadline {
    return new Link(this.#list, response)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sweep(): void {
    this.#list.now = performance.now()
    const oldest = this.#list.now - this.#limitMs
    for (let link = this.#list.first; link !== undefined && link.since <= oldest; link = this.#list.first) {
      link.end()
      const { response } = link
      if (!response.destroyed && !response.writableFinished) this.#expire(response)
    }
  }
}

interface List {
  now: number
  first: Link | undefined
  last: Link | undefined
}

class Link implements Deadline {
  readonly response: ServerResponse
  since: number
  readonly #list: List
  #before: Link | undefined
  #after: Link | undefined
  #isLinked = true

  constructor(list: List, response: ServerResponse) {
    this.#list = list
    this.response = response
    this.since = list.now
    this.#append()
  }

  renew(): void {
    if (!this.#isLinked) return
    this.#unlink()
    this.since = this.#list.now
    this.#append()
  }

  end(): void {
    if (!this.#isLinked) return
    this.#isLinked = false
    this.#unlink()
  }

  #append(): void {
    const { last } = this.#list
    this.#before = last
    this.#after = undefined
    if (last === undefined) this.#list.first = this
    else last.#after = this
    this.#list.last = this
  }

  #unlink(): void {
    const before = this.#before
    const after = this.#after
    if (before === undefined) this.#list.first = after
    else before.#after = after
    if (after === undefined) this.#list.last = before
    else after.#before = before
  }
}
