import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './response.ts'

/** Which pages of other origins may use a server (the CORS protocol of the Fetch standard). */
export interface CrossOriginRules {
  /** As browsers send them: `https://app.example.com`. `*` means all. */
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  /** Allowed request headers in addition to the safelisted ones. */
  readonly requestHeaders: readonly string[]
  /** Exposed response headers in addition to the safelisted ones. */
  readonly answerHeaders: readonly string[]
}

/** Seconds that a browser may cache a preflight response: browsers cap it at two hours. */
const MAX_AGE = '7200'

/**
 * Implements CORS. The returned function is called for each request before it is answered; true: it was a preflight and
 * has been answered. Browser credentials are never allowed: pages send tokens in a header themselves.
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
