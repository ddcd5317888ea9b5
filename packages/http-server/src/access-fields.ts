import type { IncomingMessage, ServerResponse } from 'node:http'

/** A completed request in the form that metrics and logs use. */
export interface EndedRequest {
  /** Undefined if no route matches, or if the request was refused before routing. */
  readonly route: string | undefined
  /** Undefined if the connection was closed before an answer. */
  readonly status: number | undefined
  /** From the end of the request's head to the end of the response. */
  readonly milliseconds: number
}

/** The logged fields of a request: its path without the query, which may contain a sign-in code. */
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

/** Undefined if the connection was closed before an answer. */
export const statusOf = (response: ServerResponse) => (response.headersSent ? response.statusCode : undefined)

export const roundToMicroseconds = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000
