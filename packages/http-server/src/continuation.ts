import type { IncomingMessage, ServerResponse } from 'node:http'

/** The responses of requests that wait for `100 Continue` before they send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** A request with `expect: 100-continue` has come. What its headers decide is answered at once, without its body. */
export function awaitBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response)
}

/** The body is going to be read: a sender that waits may send it. Can be called again. */
export function askForBody(request: IncomingMessage): void {
  // Few requests have the header, and a look into the map would cost every one.
  if (request.headers.expect === undefined) return
  waiting.get(request)?.writeContinue()
  waiting.delete(request)
}

/** Whether the sender of a body may still wait for leave to send it. */
export function awaitsLeave(request: IncomingMessage): boolean {
  return waiting.has(request)
}
