import { HOP_BY_HOP } from '@engine/http-server'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** What a caller says to the platform, and what would tell an engine who the caller is. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'cookie',
  'expect',
  'host',
  'origin',
  'referer',
  'x-api-key',
  'x-canary-key',
  'x-connect-token',
  'x-engine-report',
  'x-environment',
  'x-registration-secret',
  'x-ruleset',
  'x-tenant-id',
])

/** Headers of a request as its engine gets them. What `connection` names is of the connection as well. */
export function sentHeaders(headers: IncomingHttpHeaders, added: Readonly<Record<string, string>>) {
  return { ...without(headers, NOT_SENT), ...added }
}

/** What an engine says to the proxy, and what is the platform's to say. */
const NOT_ANSWERED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  'x-engine-server',
  'x-release-id',
  'x-request-id',
])
/** Those that are for the caller only when it asked for them. */
const REPORT: readonly string[] = ['x-ruleset-digest', 'x-result-code']
const NOT_ANSWERED_UNASKED: ReadonlySet<string> = new Set([...NOT_ANSWERED, ...REPORT])

/** Headers of an answer as the caller gets them. */
export function answeredHeaders(
  headers: IncomingHttpHeaders,
  wantsReport: boolean,
  added: Readonly<Record<string, string>>,
) {
  return { ...without(headers, wantsReport ? NOT_ANSWERED : NOT_ANSWERED_UNASKED), ...added }
}

function without(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !dropped.has(name) && !named.has(name)) kept[name] = value
  return kept
}

/** A header that is there once, and not empty. */
export function headerOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
