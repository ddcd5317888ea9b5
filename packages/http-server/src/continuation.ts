import type { IncomingMessage, ServerResponse } from 'node:http'

/** The responses of requests that wait for `100 Continue` before they send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Registers a request with `expect: 100-continue`. If its headers alone decide, it is answered without reading the
 * body.
 */
export function awaitBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response)
}

/** Lets a waiting sender send the body. Idempotent. */
export function askForBody(request: IncomingMessage): void {
  // Few requests have the header, and a look-up in the map would burden every request.
  if (request.headers.expect === undefined) return
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}

/** True if the sender may still be waiting for permission to send the body. */
export function awaitsLeave(request: IncomingMessage): boolean {
  return waiting.has(request)
}
