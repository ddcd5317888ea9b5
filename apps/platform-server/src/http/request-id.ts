import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The header that carries the id of a request, in both directions. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** Any other text as the id of a request is ignored. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/

const ids = new WeakMap<object, string>()

/** The id of a request: the given one, or a generated one; undefined if there is no request. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'> | undefined): string {
  if (request === undefined) return randomUUIDv7()
  const known = ids.get(request)
  if (known !== undefined) return known
  const given = request.headers[REQUEST_ID_HEADER]
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUIDv7()
  ids.set(request, id)
  return id
}
