import type { Span, Tracing } from '@engine/process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'

/** The methods of RFC 9110 and 5789, and QUERY: arbitrary client input must not create an unbounded number of names. */
const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '))

/**
 * A method for metrics and traces: `_OTHER` for an unknown one, according to the OpenTelemetry semantic conventions.
 */
export function knownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER'
}

/**
 * A span of the whole request, with the attributes that the OpenTelemetry semantic conventions require of an HTTP
 * server; it ends with the response. It is named after the method until `routed` is called.
 */
export function requestSpan(tracing: Tracing, request: IncomingMessage, response: ServerResponse): Span {
  const { method = '', headers } = request
  const known = knownMethod(method)
  const span = tracing.server(known === '_OTHER' ? 'HTTP' : known, headers, attributesOf(request, known))
  response.once('close', () => {
    if (!response.headersSent) span.set({ 'error.type': 'closed' })
    else span.set({ 'http.response.status_code': response.statusCode })
    const isFault = response.headersSent && response.statusCode >= 500
    if (isFault) span.set({ 'error.type': String(response.statusCode) })
    // The status is sufficient.
    span.end(isFault ? '' : undefined)
  })
  return span
}

/** Names the span after the request's route, so that there are only as many names as routes. */
export function routed(
  span: Span,
  method: string,
  route: string,
  attributes: Readonly<Record<string, string>> = {},
): void {
  span.rename(`${knownMethod(method)} ${route}`)
  span.set({ 'http.route': route, ...attributes })
}

function attributesOf(request: IncomingMessage, known: string): Readonly<Record<string, string | number>> {
  const { method = '', url = '', headers, httpVersion, socket } = request
  const [path = '', query] = url.split('?', 2)
  const isSecure = (socket as Partial<TLSSocket>).encrypted === true
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(headers.host ?? '') ?? []
  return {
    'http.request.method': known,
    ...(known === '_OTHER' ? { 'http.request.method_original': method } : {}),
    'url.path': path,
    ...(query === undefined ? {} : { 'url.query': query }),
    'url.scheme': isSecure ? 'https' : 'http',
    'network.protocol.version': httpVersion,
    ...(host === undefined || host === '' ? {} : { 'server.address': host }),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
    ...(socket.remoteAddress === undefined ? {} : { 'client.address': socket.remoteAddress }),
    ...(headers['user-agent'] === undefined ? {} : { 'user_agent.original': headers['user-agent'] }),
  }
}
