import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that has ended, as metrics and logs see it. */
export interface EndedRequest {
  /** Undefined: the request fits none, or was refused before it was looked for. */
  readonly route: string | undefined
  /** Undefined: the connection was closed before an answer. */
  readonly status: number | undefined
  /** From the end of the request's head to the end of the response. */
  readonly milliseconds: number
}

/** The logged fields of a request: its path without the query, which may hold a code of a sign-in. */
export function accessFields(
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  { route, status, milliseconds }: EndedRequest,
): Readonly<Record<string, string | number | undefined>> {
  return {
    method,
    path: url.split('?', 1)[0],
    route,
    status,
    ms: roundToMicroseconds(milliseconds),
  }
}

/** Undefined: the connection was closed before an answer. */
export const statusOf = (response: ServerResponse) => (response.headersSent ? response.statusCode : undefined)

export const roundToMicroseconds = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000
