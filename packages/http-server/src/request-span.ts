import type { Span, Tracing } from '@engine/process'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'

/** The attributes and the name of a request in its trace, where the server knows more of it than method and path. */
export interface RequestSubject {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** A span around the whole request; it ends with the response. */
export function requestSpan(
  tracing: Tracing,
  request: IncomingMessage,
  response: ServerResponse,
  subject?: RequestSubject,
): Span {
  const { method = '', url = '', headers } = request
  const path = url.split('?')[0] ?? ''
  const attributes = { 'http.request.method': method, 'url.path': path, ...subject?.attributes }
  const span: Span = tracing.server(subject?.name ?? `${method} ${path}`, headers, attributes)
  response.once('close', () => {
    span.set({ 'http.response.status_code': response.statusCode })
    span.end(response.statusCode >= 500 ? (STATUS_CODES[response.statusCode] ?? 'failed') : undefined)
  })
  return span
}
