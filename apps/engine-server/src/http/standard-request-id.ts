import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../errors.ts'
import { REQUEST_ID_HEADER } from '../requester.ts'

/** Longest request id that is echoed, in characters. */
const MAX_LENGTH = 256
const CONTROL = /\p{Cc}/u

/** Why the request id of an AuthZEN request cannot be echoed; undefined if it can, or if there is none. */
function faultOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const given = headers[REQUEST_ID_HEADER]
  if (given === undefined) return undefined
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === REQUEST_ID_HEADER).length
  if (count > 1 || typeof given !== 'string') return `must be given once, found ${count}`
  if (given.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters, found ${given.length}`
  return CONTROL.test(given) ? 'must not contain control characters' : undefined
}

/** Sets the request id of an AuthZEN request on its answer, also on an error. */
export function echoRequestId(request: IncomingMessage, response: ServerResponse): void {
  const given = request.headers[REQUEST_ID_HEADER]
  if (typeof given === 'string' && faultOf(request) === undefined) response.setHeader(REQUEST_ID_HEADER, given)
}

/** Throws `EngineError` if the request id cannot be echoed. */
export function refuseRequestId(request: IncomingMessage): void {
  const fault = faultOf(request)
  if (fault !== undefined) throw new EngineError('invalid-request', `the header \`${REQUEST_ID_HEADER}\` ${fault}`)
}
