import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './response.ts'

/** Which pages of other origins may use a server (the CORS protocol of the Fetch standard). */
export interface CrossOriginRules {
  /** As browsers send them: `https://app.example.com`. `*`: all. */
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  /** Headers that requests may have beside the harmless ones. */
  readonly requestHeaders: readonly string[]
  /** Headers of answers that a page may read beside the harmless ones. */
  readonly answerHeaders: readonly string[]
}

/** Seconds for which a browser may remember a preflight: more than two hours none does. */
const MAX_AGE = '7200'

/**
 * Lets pages of other origins in. The result is called for each request before it is answered; true: it was a preflight and is
 * answered. Credentials of the browser are never allowed: tokens are sent in a header, which the page sets itself.
 */
export function allowCrossOrigin({
  origins,
  methods,
  requestHeaders,
  answerHeaders,
}: CrossOriginRules): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isOpen = origins.includes('*')
  const allowed = new Set(origins)
  const exposed = answerHeaders.join(', ')
  const preflight = {
    ...SECURITY_HEADERS,
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': requestHeaders.join(', '),
    'access-control-max-age': MAX_AGE,
  }
  return (request, response) => {
    const { origin, 'access-control-request-method': asked } = request.headers
    if (origin === undefined) return false
    if (!isOpen) response.setHeader('vary', 'origin')
    if (!isOpen && !allowed.has(origin)) return false
    response.setHeader('access-control-allow-origin', isOpen ? '*' : origin)
    if (request.method !== 'OPTIONS' || asked === undefined) {
      response.setHeader('access-control-expose-headers', exposed)
      return false
    }
    response.writeHead(204, preflight).end()
    return true
  }
}
